"""What one check costs from process start: gemm against itself tiled by 16 and unrolled by 8.

Each run makes the target with mlir-opt and then checks it, so that both times come from the same
minute of the same machine. Prints and writes (`start.json`) the least, the median and the largest
of each.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import PROVED, Check, Process, check
from targets import (
    FOLDER,
    Tools,
    add_tool_options,
    make_target,
    positive,
    read_tools,
    source_path,
    tool_versions,
)

PASS = "tile-unroll"


def measure_runs(tools: Tools, count: int) -> list[tuple[Process, Check]]:
    """`count` times in turn: mlir-opt makes the target, hecv checks it."""
    source = source_path("gemm", "constant")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "target.mlir"
        return [
            (
                make_target(tools, source, PASS, target),
                check(tools.hecv, source, target, (), tools.time_limit),
            )
            for _ in range(count)
        ]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Least, median and largest."""
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def describe(name: str, processes: Sequence[Process | Check]) -> dict[str, dict[str, float]]:
    """Print the spread of one tool's seconds and peak memory, and return it."""
    seconds = spread([process.seconds for process in processes])
    memory = spread([process.peak_mib for process in processes])
    times = " ".join(f"{key} {value:.3f}" for key, value in seconds.items())
    print(f"{name:10} seconds {times}   peak MiB {memory['max']:.0f}")
    return {"seconds": seconds, "peak_mib": memory}


def main() -> int:
    """Measure, print and write; 1 when a run failed or is no proof."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=positive, default=7, metavar="N")
    parser.add_argument("--output", type=Path, default=FOLDER / "start.json", metavar="FILE")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = read_tools(parser, options)
    versions = tool_versions(tools)
    runs = measure_runs(tools, options.runs)
    verdicts = sorted({answer.verdict for _, answer in runs})
    report = {
        "schema": "hecv.benchmark.start/1",
        "versions": versions,
        "cpus": os.cpu_count(),
        "runs": options.runs,
        "verdicts": verdicts,
        "hecv": describe("hecv check", [answer for _, answer in runs]),
        "mlir-opt": describe("mlir-opt", [made for made, _ in runs]),
    }
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    print(f"verdict    {', '.join(verdicts)}")
    made = all(process.exit == 0 for process, _ in runs)
    return 0 if made and PROVED.issuperset(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
