"""Values of models on a GPU: transformers' Llama against a serving engine's decoder at growing widths, in f64 on the
CPU and on the GPU, with what both devices differ by, and the verdict from the GPU's values.

`python benchmarks/models_gpu.py` needs torch and transformers, and nothing from outside; it writes `models_gpu.json`.
On a machine without a GPU it measures the CPU alone, and says so.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent / "model_families"))
import published

from hecv.capture.value_process import Request
from hecv.check import Options
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import run_graph

SIZES: Final = ((256, 4), (1024, 4), (2048, 8), (4096, 8))
"""Width, and number of layers; the last is the width of the published model of 8 billion parameters."""

ON_BOTH: Final = 1024
"""The greatest width that is run on the CPU, too, where there is a GPU."""

Values = list[list[dict[str, Any]]]


def captured(width: int, layers: int) -> tuple[CapturedGraph, CapturedGraph]:
    """Both models with heads of 128 elements, or of a quarter of a narrow width."""
    head = min(128, width // 4)
    published.WIDTH, published.HEAD, published.MLP = width, head, 7 * width // 2
    published.HEADS, published.GROUPS = width // head, max(1, width // head // 4)
    ids = published.token_ids(published.TOKENS)
    found: list[CapturedGraph] = []
    for model in (
        published.Logits(published.transformers_model("llama", layers), True),
        published.served_model("llama", layers),
    ):
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
                worst = max(worst, float(np.nanmax(np.abs(value - b[name]), initial=0.0) / scale))
            else:
                assert np.array_equal(value, b[name]), name
    return worst


def row(width: int, layers: int, device: str) -> dict[str, Any]:
    """One size: seconds of the values by device, what these differ by, and the verdict."""
    models = captured(width, layers)
    asked: list[Sequence[Request]] = []
    seconds = 0.0

    def on_device(requests: Sequence[Request]) -> Values:
        nonlocal seconds
        asked.append(requests)
        started = perf_counter()
        values = run(requests, device)
        seconds += perf_counter() - started
        return values

    started = perf_counter()
    report = compare_graphs(("a:source", "b:target"), models, None, Options(seconds=300.0), on_device).report
    found: dict[str, Any] = {
        "width": width,
        "layers": layers,
        "parameters": sum(a.size for a in models[0].graph.arrays.values()),
        "verdict": report.verdict,
        "seconds": {"decision": round(perf_counter() - started, 2), f"values on {device}": round(seconds, 2)},
    }
    if device != "cpu" and width <= ON_BOTH:
        started = perf_counter()
        on_cpu = run(asked[0], "cpu")
        found["seconds"]["first values on cpu"] = round(perf_counter() - started, 2)
        found["difference of devices"] = difference(on_cpu, run(asked[0], device))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--most", type=int, default=SIZES[-1][0], help="the greatest width")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else f"{platform.machine()}, no GPU"
    table: dict[str, Any] = {"device": name, "torch": torch.__version__, "rows": []}
    print(f"{name}, torch {torch.__version__}", flush=True)
    for width, layers in SIZES:
        if width <= options.most:
            table["rows"].append(row(width, layers, device))
            print(json.dumps(table["rows"][-1]), flush=True)
            options.out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0 if all(r["verdict"] == "equivalent" for r in table["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
