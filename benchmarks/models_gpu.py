"""Values of models on a GPU: transformers' Llama against a serving engine's decoder at growing widths and depths, in
f64 on the CPU and on the GPU, with what both devices differ by, and the verdict from the GPU's values.

`python benchmarks/models_gpu.py` needs torch and transformers, and nothing from outside; it writes `models_gpu.json`.
On a machine without a GPU it measures the CPU alone, and says so.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import torch
from transformers.initialization import no_init_weights

sys.path.insert(0, str(Path(__file__).parent / "model_families"))
import published

from hecv.capture.value_process import Request, run_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.relate.model_relation import relate_graphs
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import run_graph
from serving import Mistake

SIZES: Final[tuple[tuple[int, int, Mistake], ...]] = (
    (256, 4, "none"),
    (1024, 4, "none"),
    (1024, 4, "residual"),
    (1024, 32, "none"),
    (2048, 8, "none"),
    (4096, 8, "none"),
)
"""Width, number of layers, and the mistake of the decoder; the last width is that of the published model of 8 billion
parameters, with a quarter of its layers."""

ON_BOTH: Final = 1024
"""The greatest width of models of 4 layers that are run on the CPU, too, where there is a GPU."""

Values = list[list[dict[str, Any]]]


def captured(width: int, layers: int, mistake: Mistake) -> tuple[CapturedGraph, CapturedGraph]:
    """Both models with heads of 128 elements, or of a quarter of a narrow width."""
    head = min(128, width // 4)
    published.WIDTH, published.HEAD, published.MLP = width, head, 7 * width // 2
    published.HEADS, published.GROUPS = width // head, max(1, width // head // 4)
    ids = published.token_ids(published.TOKENS)
    with no_init_weights():  # all are drawn anew
        theirs = published.transformers_model("llama", layers)
        ours = published.served_model("llama", layers, mistake, theirs.state_dict())
    found: list[CapturedGraph] = []
    for model in (published.Logits(theirs, True), ours):
        graph = capture_graph(model, ids, "model")
        assert isinstance(graph, CapturedGraph), graph
        found.append(graph)
    return found[0], found[1]


def run(requests: Sequence[Request], device: str) -> Values:
    """The wanted values of each request and input set."""
    return [
        [run_graph(r.graph, {**r.shared, **s}, frozenset(r.wanted), r.jitter, device) for s in r.sets] for r in requests
    ]


def difference(ours: Values, theirs: Values) -> float:
    """The largest difference of two values, relative to the largest element of their tensor."""
    worst = 0.0
    for a, b in zip((v for r in ours for v in r), (v for r in theirs for v in r), strict=True):
        for name, value in a.items():
            if value.dtype.kind == "f" and value.size:
                scale = np.abs(value[np.isfinite(value)]).max(initial=1e-30)
                with np.errstate(invalid="ignore"):  # of infinities
                    worst = max(worst, float(np.nanmax(np.abs(value - b[name]), initial=0.0) / scale))
            else:
                assert np.array_equal(value, b[name]), name
    return worst


def row(width: int, layers: int, mistake: Mistake, device: str) -> dict[str, Any]:
    """One size: seconds of capture, decision, and the values by device, what these differ by, and the verdict."""
    started = perf_counter()
    models = captured(width, layers, mistake)
    seconds = {"capture": perf_counter() - started, f"values on {device}": 0.0}
    asked: list[Sequence[Request]] = []

    def on_device(requests: Sequence[Request]) -> Values:
        asked.append(requests)
        started = perf_counter()
        values = run(requests, device)
        seconds[f"values on {device}"] += perf_counter() - started
        return values

    started = perf_counter()
    report = relate_graphs(models[0].graph, models[1].graph, {}, on_device, started + 300.0)
    seconds["decision"] = perf_counter() - started
    found: dict[str, Any] = {
        "width": width,
        "layers": layers,
        "mistake": mistake,
        "parameters": sum(a.size for a in models[0].graph.arrays.values()),
        "verdict": report.verdict,
        "expected": report.verdict == ("equivalent" if mistake == "none" else "not-equivalent"),
    }
    # The most that this process has had so far, rows before this one included.
    found["gigabytes of the host"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    if device == "cuda":
        found["gigabytes of the GPU"] = round(torch.cuda.max_memory_allocated() / 1e9, 2)
        torch.cuda.reset_peak_memory_stats()
    if device == "cuda" and width <= ON_BOTH and layers == 4:
        values = run(asked[0], device)
        started = perf_counter()
        found["difference of devices"] = difference(run(asked[0], "cpu"), values)
        seconds["first values on cpu"] = perf_counter() - started
        # As `hecv models --device cuda` has them.
        found["difference of processes"] = difference(run_graphs(asked[0], (), 300.0, 8192, device), values)
    return {**found, "seconds": {name: round(value, 2) for name, value in seconds.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--most", type=int, default=SIZES[-1][0], help="the greatest width")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else f"{platform.machine()}, no GPU"
    table: dict[str, Any] = {"device": name, "torch": torch.__version__, "rows": []}
    print(f"{name}, torch {torch.__version__}", flush=True)
    for width, layers, mistake in SIZES:
        if width <= options.most:
            table["rows"].append(row(width, layers, mistake, device))
            print(json.dumps(table["rows"][-1]), flush=True)
            options.out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0 if all(r["expected"] for r in table["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
