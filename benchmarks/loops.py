"""Loop transformations: HEC's Table 4 and Figure 8, long chains, and one large file.

`python benchmarks/loops.py` prints each table and writes `loops.json`. It exits with 1 where a verdict is `unknown` or
`error`; `not-equivalent` is an answer, because a pass of mlir-opt may be wrong.

- `strips` is HEC's Table 4: its T strip-mines the outermost loop alone, so all cells are equivalent.
- `bands` has mlir-opt's own tiling of whole bands in place of T. It does not ask whether that is legal: seidel_2d
  depends on its upper right neighbour (distance (1, -1)), so its tiles may not run row by row: where there is more than
  one tile, the cells of seidel_2d are not equivalent. Nor are those in which cnn_forward sums in another order.
- `nested` is Figure 8: k by k copies of gemm's inner statement.
- `chains` are all kernels of PolyBench through long pipelines; `schedules` are operations of linalg, tiled over three
  levels with their loops interchanged.
- `theorems` are the cells of `strips` by loop theorems alone (`--engine theorems`), HEC's own method; `nested` has such
  rows, too.
- `large` is one file of loop functions.

HEC reports a "loop boundary bug" of mlir-opt in jacobi_1d and seidel_2d. It is the clean-up loop of unrolling and it
needs symbolic sizes: an inner loop from 1 to n - 1 is unrolled to one from 1 to floor((n - 2) / 8) * 8 + 1 and a
clean-up loop from there to n - 1. At n = 1 the loop goes from 1 to 0 and should not run; the clean-up loop goes from
-7 to 0 and does. For n >= 2, as where sizes are constants, the two are equivalent. Both cases are decided: with
symbolic sizes the cells of these kernels are `not-equivalent` as they are (n <= 1), and proved under `n >= 2`. The
kernels with loops from 0 to n have the same fault at negative sizes, which `nonneg` excludes.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kernels import FAILED, SHORT
from loop_pairs import (
    BAND_STEPS,
    CHAIN_STEPS,
    HEC_STEPS,
    POLYBENCH,
    Made,
    Pair,
    kernel_pairs,
    make,
    nested_pairs,
    schedule_pairs,
    write_large,
)
from measure import PROVED, Check, check, run
from targets import FOLDER, FORMS, KERNELS, Tools, add_tool_options, positive, read_tools, tool_versions

TABLES = ("strips", "bands", "nested", "schedules", "chains", "theorems", "large")
PUBLISHED = {
    "strips": "HEC: 6 to 380 s a cell",
    "nested": "HEC: exponential in k, up to 20 minutes and time-outs",
}
"""What is published of these tables, as ranges; figures of single cells are not."""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair, what making its target took, and the checks of it, from no assumption to the strongest."""

    table: str
    row: str
    column: str
    engine: str
    made: Made
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> str:
        """What was said in the end."""
        return self.checks[-1].verdict if self.checks else "error"

    def ratio(self) -> float | None:
        """CPU seconds of the last check by those of mlir-opt."""
        if not self.checks or not self.made.cpu_seconds:
            return None
        return self.checks[-1].cpu_seconds / self.made.cpu_seconds


def measure_pair(tools: Tools, folder: Path, number: int, pair: Pair) -> Row:
    """Makes the target of a pair and checks it."""
    target = folder / f"{number}.{pair.row}.{pair.column.replace(' ', '-')}.mlir"
    made = make(tools, pair, target)
    checks: list[Check] = []
    for assume in () if made.failure else pair.assume:
        more = ("--engine", pair.engine)
        checks.append(check(tools.hecv, pair.source, target, assume, tools.time_limit, more))
        if checks[-1].verdict in PROVED:
            break
    return Row(pair.table, pair.row, pair.column, pair.engine, made, tuple(checks))


def measure_all(tools: Tools, folder: Path, pairs: Sequence[Pair], jobs: int) -> list[Row]:
    """All rows in order, with a line on stderr as each ends."""
    rows: list[Row] = []
    with ThreadPoolExecutor(jobs) as executor:
        ended = executor.map(lambda numbered: measure_pair(tools, folder, *numbered), enumerate(pairs))
        for row in ended:
            rows.append(row)
            answer = f"{row.checks[-1].cpu_seconds:.2f} CPU s" if row.checks else row.made.failure
            name = f"{row.table} {row.row} {row.column}"
            print(f"[{len(rows)}/{len(pairs)}] {name}: {row.verdict} {answer}", file=sys.stderr)
    return rows


@dataclass(frozen=True, slots=True)
class Large:
    """One file of many functions: `seconds` and CPU seconds with one job and with one a core."""

    functions: int
    source_lines: int
    target_lines: int
    made: Made
    verdicts: dict[str, int]
    seconds: dict[str, float]
    cpu_seconds: dict[str, float]
    peak_mib: float


def measure_large(tools: Tools, folder: Path, lines: int) -> Large:
    """Checks a file of functions with a target of at least so many lines."""
    source, target, functions, made = write_large(tools, folder, lines)
    seconds: dict[str, float] = {}
    cpu_seconds: dict[str, float] = {}
    verdicts: Counter[str] = Counter()
    peak = 0.0
    for name, more in (("one job", ("--jobs", "1")), ("one job a core", ())):
        command = [*tools.hecv, "check", str(source), str(target), "--format", "json", *more]
        process = run(command, max(tools.time_limit, 3600.0))
        seconds[name], cpu_seconds[name] = process.seconds, process.cpu_seconds
        peak = max(peak, process.peak_mib)
        verdicts = Counter(f["verdict"] for f in json.loads(process.stdout)["functions"])
    count = source.read_text().count("\n")
    return Large(functions, count, made.lines, made, dict(verdicts), seconds, cpu_seconds, peak)


# Text


def verdict_text(row: Row) -> str:
    """`eq 0.38`: the verdict with its CPU seconds, and with a plus where it needs assumptions."""
    if not row.checks:
        return "-"
    last = row.checks[-1]
    return f"{SHORT[last.verdict]}{'+' if last.assume else ''} {last.cpu_seconds:.2f}"


def columns_text(rows: Sequence[Row], show: Callable[[Row], str]) -> str:
    """A table with a line for each row and engine."""
    columns = list(dict.fromkeys(row.column for row in rows))
    names = list(dict.fromkeys((row.row, row.engine) for row in rows))
    cells = {(row.row, row.engine, row.column): show(row) for row in rows}
    lines = [["", *columns]]
    for name, engine in names:
        title = name if engine == "auto" else f"{name} ({engine})"
        lines.append([title, *(cells.get((name, engine, column), "") for column in columns)])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines)


def summary_text(rows: Sequence[Row]) -> str:
    """Verdicts and the spread of seconds, memory and ratios."""
    last = [row.checks[-1] for row in rows if row.checks]
    if not last:
        return "nothing was made"
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in Counter(c.verdict for c in last).most_common())
    crashed = sum(not row.checks for row in rows)
    parts = [f"{len(last)} pairs: {verdicts}" + (f"; of {crashed} mlir-opt made no target" if crashed else "")]
    for name, values in (
        ("CPU s", [c.cpu_seconds for c in last]),
        ("seconds", [c.seconds for c in last]),
        ("peak MiB", [c.peak_mib for c in last]),
        ("of mlir-opt's CPU s", [r for r in map(Row.ratio, rows) if r is not None]),
    ):
        parts.append(f"{name}: median {statistics.median(values):.2f}, worst {max(values):.2f}")
    return "\n".join(parts)


def detail_text(rows: Iterable[Row]) -> str:
    """Every row with all that was measured."""
    lines: list[str] = []
    for row in rows:
        if not row.checks:
            lines.append(f"{row.row} {row.column}: {row.made.failure}")
        for one in row.checks:
            under = f" under {' and '.join(one.assume)}" if one.assume else ""
            rules = ", ".join(f"{name} {uses}" for name, uses in one.rules.items()) or "-"
            graph = f"; {one.rounds} rounds, {one.classes} e-classes" if one.rounds is not None else ""
            phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in one.phases.items())
            why = f" ({one.note})" if one.note else ""
            ratio = f"{row.ratio() or 0:.1f} x mlir-opt"
            name = f"{row.row} {row.column}{under} [{one.engine or row.engine}]"
            lines.append(
                f"{name}: {one.verdict}{why}; {row.made.lines} lines; {one.seconds:.2f} s, "
                f"CPU {one.cpu_seconds:.2f} s, {ratio}, {one.peak_mib:.0f} MiB; rules: {rules}{graph}; {phases}"
            )
    return "\n".join(lines)


def growth(rows: Sequence[Row]) -> dict[str, float]:
    """By column and engine, the power of the lines with which the CPU seconds grow, without those of a small pair."""
    found: dict[str, float] = {}
    for key in dict.fromkeys((row.column, row.engine) for row in rows):
        own = [row for row in rows if (row.column, row.engine) == key and row.checks and row.verdict in PROVED]
        least = min((row.checks[-1].cpu_seconds for row in own), default=0.0)
        points = [
            (math.log(row.made.lines), math.log(row.checks[-1].cpu_seconds - least))
            for row in own
            if row.made.lines >= 500 and row.checks[-1].cpu_seconds > least + 0.1
        ]
        if len(points) >= 3:
            slope = statistics.linear_regression([x for x, _ in points], [y for _, y in points]).slope
            found[f"{key[0]} ({key[1]})"] = round(slope, 2)
    return found


def render(rows: Sequence[Row], large: Large | None, verbose: bool) -> Iterator[str]:
    """The report, a part at a time."""
    for table in TABLES:
        own = [row for row in rows if row.table == table]
        if not own:
            continue
        published = f" ({PUBLISHED[table]})" if table in PUBLISHED else ""
        yield f"{table}: verdict and CPU seconds; + under assumptions{published}"
        yield columns_text(own, verdict_text)
        yield summary_text(own)
        if table == "nested":
            powers = ", ".join(f"{name} {power}" for name, power in growth(own).items())
            yield f"CPU seconds grow with this power of the lines: {powers or 'too few rows'}"
        shown = [row for row in own if verbose or not row.checks or row.checks[0].verdict not in PROVED]
        yield detail_text(shown)
    if large is not None:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in large.verdicts.items())
        yield f"large: {large.functions} functions, {large.source_lines} lines against {large.target_lines}: {verdicts}"
        yield "\n".join(
            f"{name}: {large.seconds[name]:.2f} s, CPU {large.cpu_seconds[name]:.2f} s" for name in large.seconds
        )


# The command line


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES, metavar="NAME")
    parser.add_argument("--kernels", nargs="+", choices=sorted({*KERNELS, *POLYBENCH}), metavar="NAME")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS), metavar="NAME")
    parser.add_argument("--columns", nargs="+", metavar="NAME", help="only these columns of tables of kernels")
    parser.add_argument("--largest", type=positive, default=64, metavar="K", help="of nested unrolling")
    parser.add_argument("--lines", type=positive, default=100_000, metavar="N", help="of the one large file")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the targets here")
    output = "keeps what it has of other tables"
    parser.add_argument("--output", type=Path, default=FOLDER / "loops.json", metavar="FILE", help=output)
    parser.add_argument("-v", "--verbose", action="store_true", help="every row in full")
    add_tool_options(parser)
    return parser


def chosen_pairs(options: argparse.Namespace, folder: Path) -> Iterator[Pair]:
    """The pairs of the tables that were asked for."""
    hec = [k for k in KERNELS if not options.kernels or k in options.kernels]
    all_kernels = [k for k in POLYBENCH if not options.kernels or k in options.kernels]
    tables = options.tables
    if "strips" in tables:
        yield from kernel_pairs("strips", hec, HEC_STEPS, options.forms)
    if "bands" in tables:
        yield from kernel_pairs("bands", hec, BAND_STEPS, options.forms)
    if "nested" in tables:
        yield from nested_pairs(folder, options.largest)
    if "schedules" in tables:
        yield from schedule_pairs()
    if "chains" in tables:
        yield from kernel_pairs("chains", all_kernels, CHAIN_STEPS, options.forms)
    if "theorems" in tables:
        yield from kernel_pairs("theorems", hec, HEC_STEPS, ["constant"], "theorems")


def read_others(path: Path, tables: Sequence[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows of tables that are not measured now, from an earlier report, and that report."""
    if not path.exists():
        return [], {}
    before: dict[str, Any] = json.loads(path.read_text())
    return [row for row in before["rows"] if row["table"] not in tables], before


def main() -> int:
    """Measure, print and write the tables."""
    parser = build_parser()
    options = parser.parse_args()
    tools = read_tools(parser, options)
    versions = tool_versions(tools)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        pairs = [p for p in chosen_pairs(options, folder) if not options.columns or p.column in options.columns]
        rows = measure_all(tools, folder, pairs, options.jobs)
        large = measure_large(tools, folder, options.lines) if "large" in options.tables else None
    others, before = read_others(options.output, options.tables)
    report = {
        "schema": "hecv.benchmark.loops/1",
        "versions": versions,
        "cpus": os.cpu_count(),
        "jobs": options.jobs,
        "load": [round(load, 1) for load in os.getloadavg()],
        "published": PUBLISHED,
        "growth": growth([row for row in rows if row.table == "nested"]) or before.get("growth", {}),
        "rows": [*others, *(asdict(row) for row in rows)],
        "large": before.get("large") if large is None else asdict(large),
    }
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    print("\n\n".join(render(rows, large, options.verbose)))
    failed = any(row.checks and row.verdict in FAILED for row in rows)
    return 1 if failed or (large is not None and FAILED & large.verdicts.keys()) else 0


if __name__ == "__main__":
    sys.exit(main())
