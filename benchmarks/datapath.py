"""The datapath table: long integer code against random rewrites of it and against passes of mlir-opt.

`python benchmarks/datapath.py` checks every pair of the standard list and prints lines, verdict, seconds, peak memory,
and the time that `mlir-opt --canonicalize --cse` takes on the same two files; per shape it prints the exponent with
which the time grows. It writes `datapath.json`, and exits with 1 when a verdict is not the expected one.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from datapath_pairs import SCALE, Recipe, make, standard
from measure import PROVED, Check, check, run
from targets import FOLDER, Tools, add_tool_options, positive, read_tools, tool_versions

PASSES = {
    "canonicalize": "func.func(canonicalize,cse)",
    "arith-expand": "func.func(arith-expand)",
    "int-range": "func.func(int-range-optimizations)",
    "int-range-canon": "func.func(int-range-optimizations,canonicalize)",
    "unsigned": "func.func(arith-unsigned-when-equivalent)",
    "narrowing": "func.func(arith-int-range-narrowing{int-bitwidths-supported=8,16,32})",
}
"""Passes of mlir-opt that make targets of the sources of `PASS_SOURCES`."""

PASS_SOURCES = tuple(Recipe(shape, lines, 50) for shape in ("function", "loop") for lines in (100, 400))
FITTED_FROM = 3_000
"""Pairs with fewer lines say more about the start of a process than about growth."""


@dataclass(frozen=True, slots=True)
class Row:
    """One pair; `lines` are those of the larger file, `rewrites` None where a pass made the target. `reference` is how
    long mlir-opt takes to read, canonicalize and print both files."""

    name: str
    shape: str
    lines: int
    rewrites: int | None
    expected: str
    reference: float
    check: Check

    @property
    def right(self) -> bool:
        """Whether the verdict is what it should be; of a pass, which may be wrong, any answer."""
        if self.rewrites is None:
            return self.check.verdict in PROVED | {"not-equivalent"}
        return self.check.verdict in (PROVED if self.expected == "equivalent" else {"not-equivalent"})


def measure_pair(tools: Tools, folder: Path, name: str, shape: str, texts: tuple[str, str], **known: object) -> Row:
    """The row of one pair, whose files are written to `folder`."""
    paths = folder / f"{name}.src.mlir", folder / f"{name}.tgt.mlir"
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    command = [str(tools.mlir_opt), "--canonicalize", "--cse", "-o", os.devnull]
    reference = sum(run([*command, str(path)], tools.time_limit).seconds for path in paths)
    answer = check(tools.hecv, *paths, (), tools.time_limit, ("--time-limit", f"{tools.time_limit:g}"))
    lines = max(text.count("\n") for text in texts)
    return Row(name, shape, lines, check=answer, reference=round(reference, 4), **known)  # type: ignore[arg-type]


def measure_recipe(tools: Tools, folder: Path, recipe: Recipe) -> Row:
    """The row of a pair made by rewrites."""
    made = make(recipe)
    expected = "not-equivalent" if recipe.wrong else "equivalent"
    texts = made.source, made.target
    return measure_pair(tools, folder, recipe.name, recipe.shape, texts, rewrites=made.steps, expected=expected)


def measure_passes(tools: Tools, folder: Path) -> list[Row]:
    """The rows of pairs made by mlir-opt, without those that a pass leaves as they are."""
    rows: list[Row] = []
    for recipe in PASS_SOURCES:
        source = folder / f"{recipe.name}.mlir"
        source.write_text(make(recipe).source)
        printed = run([str(tools.mlir_opt), str(source)], tools.time_limit).stdout
        for name, passes in PASSES.items():
            made = run(
                [str(tools.mlir_opt), str(source), f"--pass-pipeline=builtin.module({passes})"], tools.time_limit
            )
            if made.exit != 0 or made.stdout == printed:
                print(f"{recipe.name} {name}: nothing to compare", file=sys.stderr)
                continue
            texts = printed, made.stdout
            row = measure_pair(
                tools, folder, f"{recipe.name}-{name}", name, texts, rewrites=None, expected="equivalent"
            )
            rows.append(row)
            report(row)
    return rows


def report(row: Row) -> None:
    """One line on stderr."""
    mark = "" if row.right else f"   EXPECTED {row.expected} ({row.check.note})"
    answer = (
        f"{row.check.verdict} {row.check.seconds:.2f} s, {row.check.peak_mib:.0f} MiB, mlir-opt {row.reference:.2f} s"
    )
    print(f"{row.name} ({row.lines} lines): {answer}{mark}", file=sys.stderr)


def exponent(rows: Sequence[Row]) -> float | None:
    """The slope of time over lines in a log-log fit by least squares; None for fewer than two sizes."""
    points = [(math.log(r.lines), math.log(r.check.seconds)) for r in rows if r.lines >= FITTED_FROM * 3 // 4]
    if len({x for x, _ in points}) < 2:
        return None
    mean_x, mean_y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def exponents(rows: Sequence[Row]) -> dict[str, float]:
    """The exponent of each shape and expected verdict."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.right and row.rewrites is not None:
            groups.setdefault(f"{row.shape}, {row.expected}", []).append(row)
    found = {name: exponent(group) for name, group in groups.items()}
    return {name: round(value, 3) for name, value in found.items() if value is not None}


def summary(rows: Sequence[Row]) -> str:
    """Verdicts, the largest pairs, and growth."""
    counts = Counter((r.expected, r.check.verdict) for r in rows)
    lines = [f"{len(rows)} pairs, {sum(not r.right for r in rows)} without the expected verdict"]
    lines += [f"  expected {expected}: {count} {verdict}" for (expected, verdict), count in sorted(counts.items())]
    for row in sorted(rows, key=lambda r: -r.lines)[:12]:
        ratio = row.check.seconds / row.reference if row.reference else math.inf
        size = f"{row.check.seconds:.2f} s, {row.check.peak_mib:.0f} MiB, {ratio:.1f} times mlir-opt"
        lines.append(f"  {row.name}: {row.lines} lines, {row.check.verdict}, {size}")
    lines += [f"  exponent of {name}: {value}" for name, value in exponents(rows).items()]
    return "\n".join(lines)


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--largest", type=positive, default=SCALE[-1], metavar="LINES", help="leave out longer pairs")
    parser.add_argument("--shape", action="append", help="only pairs of this shape, without passes; may be repeated")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the pairs here")
    parser.add_argument("--output", type=Path, default=FOLDER / "datapath.json", metavar="FILE")
    add_tool_options(parser)
    return parser


def main() -> int:
    """Measure, print and write the table."""
    parser = build_parser()
    options = parser.parse_args()
    tools = read_tools(parser, options)
    versions = tool_versions(tools)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for recipe in standard(options.largest):
            if options.shape is None or recipe.shape in options.shape:
                rows.append(measure_recipe(tools, folder, recipe))
                report(rows[-1])
        rows += measure_passes(tools, folder) if options.shape is None else []
    result = {
        "schema": "hecv.benchmark.datapath/1",
        "versions": versions,
        "cpus": os.cpu_count(),
        "passes": PASSES,
        "exponents": exponents(rows),
        "pairs": [asdict(row) for row in rows],
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print(summary(rows))
    return 0 if all(row.right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
