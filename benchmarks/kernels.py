"""The kernel table: every PolyBench kernel, in both forms, against every pass of mlir-opt.

`python benchmarks/kernels.py` prints verdict and seconds, proof visits and runs of each cell and
writes `kernels.json`. It exits with 1 when a cell is `unknown` or `error`; `not-equivalent` is an
answer, because a pass of mlir-opt may be wrong.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from measure import PROVED, Check, check
from targets import (
    FOLDER,
    FORMS,
    KERNELS,
    PASSES,
    Tools,
    add_tool_options,
    make_target,
    positive,
    read_tools,
    source_path,
    tool_versions,
)

# What a kernel needs beyond sizes that are not negative for its loop bounds not to cross:
# at n = 1 an inner loop goes from 1 to 0, and the loop left over by unrolling starts below 1.
EXTRA_ASSUMPTIONS = {"jacobi_1d": ("n >= 2",), "seidel_2d": ("n >= 2",)}

SHORT = {
    "equivalent": "eq",
    "refines": "ref",
    "not-equivalent": "NO",
    "unknown": "UNK",
    "error": "ERR",
}
FAILED = frozenset({"unknown", "error"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A kernel in one form against one pass; `checks` go from no assumption to the strongest."""

    kernel: str
    form: str
    pass_name: str
    changed: bool | None
    checks: tuple[Check, ...]

    @property
    def first(self) -> Check:
        """The check without assumptions."""
        return self.checks[0]

    @property
    def row(self) -> str:
        """The name of the kernel's file."""
        return self.kernel + FORMS[self.form]


def assumptions(kernel: str, form: str) -> list[tuple[str, ...]]:
    """The assumptions to try in turn, until the cell is proved."""
    if form == "constant":
        return [()]
    extra = EXTRA_ASSUMPTIONS.get(kernel, ())
    return [(), ("nonneg",), *([("nonneg", *extra)] if extra else [])]


def check_pair(tools: Tools, source: Path, target: Path, kernel: str, form: str) -> list[Check]:
    """The checks of one pair: the first, and each stronger one while none is a proof."""
    checks: list[Check] = []
    for assume in assumptions(kernel, form):
        checks.append(check(tools.hecv, source, target, assume, tools.time_limit))
        if checks[-1].verdict in PROVED:
            break
    return checks


def printed_path(folder: Path, source: Path) -> Path:
    """The source as mlir-opt prints it, which every target is compared with.

    It is not the target of `self`: another thread may be writing that one.
    """
    return folder / f"{source.stem}.printed.mlir"


def measure_cell(tools: Tools, folder: Path, kernel: str, form: str, pass_name: str) -> Cell:
    """Make the target of one cell in `folder` and check it."""
    source = source_path(kernel, form)
    target = folder / f"{source.stem}.{pass_name}.mlir"
    made = make_target(tools, source, pass_name, target)
    if made.exit != 0:
        _, _, message = made.stderr.partition("error: ")
        note = f"mlir-opt: {(message.splitlines() or ['no message'])[0]}"
        failed = Check((), "error", made.exit, made.seconds, made.peak_mib, None, None, note)
        return Cell(kernel, form, pass_name, None, (failed,))
    changed = target.read_text() != printed_path(folder, source).read_text()
    checks = check_pair(tools, source, target, kernel, form)
    return Cell(kernel, form, pass_name, changed, tuple(checks))


def measure_all(tools: Tools, folder: Path, kernels: Sequence[str], passes: Sequence[str], jobs: int) -> list[Cell]:
    """All cells in table order, with a line on stderr as each ends."""
    for kernel, form in product(kernels, FORMS):
        source = source_path(kernel, form)
        printed = make_target(tools, source, "self", printed_path(folder, source))
        if printed.exit != 0:
            sys.exit(f"error: mlir-opt does not read {source.name}: {printed.stderr}")
    cells: dict[tuple[str, str, str], Cell] = {}
    keys = list(product(kernels, FORMS, passes))
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(measure_cell, tools, folder, *key) for key in keys]
        for future in as_completed(futures):
            cell = future.result()
            cells[cell.kernel, cell.form, cell.pass_name] = cell
            answer = f"{cell.first.verdict} {cell.first.seconds:.2f} s"
            print(f"[{len(cells)}/{len(keys)}] {cell.row} {cell.pass_name}: {answer}", file=sys.stderr)
    return [cells[key] for key in keys]


def verdict_text(cell: Cell) -> str:
    """Verdict and seconds, after a point where the pass changed nothing."""
    same = "." if cell.changed is False else ""
    return f"{same}{SHORT[cell.first.verdict]} {cell.first.seconds:.2f}"


def number_text(number: int | None) -> str:
    """A count, or `-` where hecv gave none."""
    return "-" if number is None else str(number)


def render(title: str, cells: Sequence[Cell], text: Callable[[Cell], str]) -> str:
    """One table: a row a kernel and form, a column a pass."""
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.pass_name for cell in cells))
    entries = {(cell.row, cell.pass_name): text(cell) for cell in cells}
    widths = [max(len(c), *(len(entries[row, c]) for row in rows)) for c in columns]
    first = max(map(len, rows))
    lines = [
        title,
        " " * first + "".join(f"  {c:>{w}}" for c, w in zip(columns, widths, strict=True)),
    ]
    for row in rows:
        line = (f"  {entries[row, c]:>{w}}" for c, w in zip(columns, widths, strict=True))
        lines.append(f"{row:{first}}" + "".join(line))
    return "\n".join(lines)


def render_notes(cells: Sequence[Cell]) -> str:
    """Every check that is no proof, and every check under assumptions."""
    lines = ["notes"]
    for cell in cells:
        for one in cell.checks:
            if one.verdict in PROVED and not one.assume:
                continue
            under = f" under {' and '.join(one.assume)}" if one.assume else ""
            why = f" ({one.note})" if one.note else ""
            answer = f"{one.verdict} {one.seconds:.2f} s{why}"
            lines.append(f"{cell.row} {cell.pass_name}{under}: {answer}")
    return "\n".join(lines)


def render_summary(cells: Sequence[Cell]) -> str:
    """Counts and times over all checks, and how many targets each pass changed."""
    checks = [one for cell in cells for one in cell.checks]
    counts = Counter(one.verdict for one in checks)
    seconds = [one.seconds for one in checks]
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    times = f"median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s"
    changed = Counter(cell.pass_name for cell in cells if cell.changed)
    total = Counter(cell.pass_name for cell in cells)
    shares = ", ".join(f"{name} {changed[name]}/{total[name]}" for name in total)
    return f"{len(checks)} checks: {verdicts}; {times}\nchanged: {shares}"


def write_json(path: Path, cells: Sequence[Cell], versions: dict[str, str], jobs: int) -> None:
    """The cells with all their checks, and what the times depend on."""
    report = {
        "schema": "hecv.benchmark.kernels/1",
        "versions": versions,
        "cpus": os.cpu_count(),
        "jobs": jobs,
        "passes": {name: PASSES[name] for name in dict.fromkeys(c.pass_name for c in cells)},
        "cells": [asdict(cell) for cell in cells],
    }
    path.write_text(json.dumps(report, indent=1) + "\n")


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=KERNELS, metavar="NAME")
    parser.add_argument("--passes", nargs="+", choices=PASSES, default=PASSES, metavar="NAME")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the targets here")
    parser.add_argument("--output", type=Path, default=FOLDER / "kernels.json", metavar="FILE")
    add_tool_options(parser)
    return parser


def main() -> int:
    """Measure, print and write the table."""
    parser = build_parser()
    options = parser.parse_args()
    tools = read_tools(parser, options)
    versions = tool_versions(tools)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        cells = measure_all(tools, folder, options.kernels, options.passes, options.jobs)
    write_json(options.output, cells, versions, options.jobs)
    title = "verdict and seconds (a point: the pass changed nothing)"
    print(render(title, cells, verdict_text), end="\n\n")
    print(render("proof visits", cells, lambda cell: number_text(cell.first.visits)), end="\n\n")
    print(render("runs", cells, lambda cell: number_text(cell.first.runs)), end="\n\n")
    print(render_notes(cells), render_summary(cells), sep="\n\n")
    return 1 if any(one.verdict in FAILED for cell in cells for one in cell.checks) else 0


if __name__ == "__main__":
    sys.exit(main())
