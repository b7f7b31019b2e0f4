"""21 public bug reports about models: is the correct model equivalent to the reference, the buggy one not, and where?

`python benchmarks/model_bugs.py` decides each pair of `model_bugs/` in a process of its own, as `hecv models` decides
torch modules, and writes `model_bugs.json`. Pairs that the file has already are not decided again, unless with
`--anew`; `--only NAME` takes those of one report, and prints what is said about them.

In the models, `# faulty` marks the lines of the target whose ops are wrong, and `# missing` lines of the reference of
which the target has nothing. A located line is exact if it is marked, and near if its function has a marked line.
"""

import argparse
import ast
import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import torch

from hecv.base.diagnostics import InputError
from hecv.capture.capture_worker import Rejected, guarded, load
from hecv.capture.value_process import Request
from hecv.check import Options
from hecv.claim.result import FunctionReport, Place
from hecv.claim.semantic_options import Switches
from hecv.cli.terminal import versions
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.report.formats import FORMATS, Checked, Page
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import run_graph

FOLDER: Final = Path(__file__).parent / "model_bugs"
FILE: Final = Path(__file__).with_suffix(".json")

SECONDS: Final = 60.0
"""For one pair."""

MARKS: Final = ("# faulty", "# missing")
"""What marks the lines of the target, and of the reference."""

DISTANCES: Final = ("exact", "near", "further")

KNOWN: Final = (
    *("vllm_8017", "vllm_3775", "vllm_3411", "vllm_590", "vllm_16904", "vllm_3892", "vllm_6220"),
    *("vllm_18976", "vllm_9502", "vllm_25888", "vllm_2059", "vllm_27414", "vllm_7880"),
)
"""The reports on which EMERGE and TTrace were tried."""

PUBLISHED: Final = {"EMERGE": (10, 6), "TTrace": (7, 0)}
"""Of those, how many were found, and located exactly: EMERGE, arXiv 2603.21851, Table 1."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--only", metavar="NAME", help="pairs of this report, such as vllm_3411")
    arguments.add_argument("--anew", action="store_true", help="decide again what the file has")
    options = arguments.parse_args()
    files = sorted(f for f in FOLDER.glob("*.py") if f.stem != "parts" and options.only in (None, f.stem))
    if not files:
        names = ", ".join(sorted(f.stem for f in FOLDER.glob("*.py") if f.stem != "parts"))
        sys.exit(f"there is no report {options.only}; there are: {names}")
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    torch.set_num_threads(1)
    capture_graph(torch.nn.Identity(), (torch.ones(1),), "first")  # loads what all forks need
    for file in files:
        for name in pairs_in(file):
            key = f"{file.stem}:{name}"
            if key not in known or options.anew or options.only:
                known[key], text = in_a_fork(file, name)
                FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
                print(f"{key}: {known[key]['verdict']} in {known[key]['seconds']} s", file=sys.stderr)
                if options.only:
                    print(text)
    print_table({key: found for key, found in known.items() if options.only in (None, key.partition(":")[0])})


def pairs_in(file: Path) -> list[str]:
    """The models that are compared with the reference: the correct one, and the buggy ones."""
    functions = [n.name for n in ast.parse(file.read_text()).body if isinstance(n, ast.FunctionDef)]
    return [name for name in functions if name == "correct" or name.startswith("buggy")]


def in_a_fork(file: Path, name: str) -> tuple[dict[str, Any], str]:
    """What is found about one pair, as data and as text."""
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        try:
            return pool.apply_async(decide, (file, name)).get(2 * SECONDS)
        except multiprocessing.TimeoutError:
            return {"verdict": "no verdict", "seconds": 2 * SECONDS}, ""


def decide(file: Path, name: str) -> tuple[dict[str, Any], str]:
    started = perf_counter()
    module = load(str(file))
    try:
        graphs = [_captured(file, getattr(module, f), f) for f in ("reference", name)]
    except Rejected as problem:
        return {"verdict": "error", "text": problem.failure.text, "seconds": _rounded(started)}, problem.failure.text
    options = Options(switches=Switches(floats="real"), relation="equivalent", seconds=SECONDS)
    specs = f"{file.name}:reference", f"{file.name}:{name}"
    try:
        found = compare_graphs(specs, tuple(graphs), None, options, in_process, started)
    except InputError as problem:
        return {"verdict": "error", "text": str(problem), "seconds": _rounded(started)}, str(problem)
    report = found.report.functions[0]
    plain: dict[str, Any] = {"verdict": report.verdict, "seconds": _rounded(started)}
    if report.unknown is not None:
        plain["text"] = report.unknown.text
    if report.verdict == "not-equivalent":
        plain |= located(report)
    written = FORMATS["text"]("verdict", Checked(found.report, found.texts, specs), Page(versions))
    return plain, written.err + written.out


def _captured(file: Path, make: Callable[[], Any], name: str) -> CapturedGraph:
    found = guarded(str(file), lambda: capture_graph(*make(), name))
    if isinstance(found, CapturedGraph):
        return found
    raise Rejected(found)


def _rounded(started: float) -> float:
    return round(perf_counter() - started, 2)


def in_process(requests: Sequence[Request]) -> list[list[dict[str, Any]]]:
    return [[_run(r, inputs) for inputs in r.sets] for r in requests]


def _run(request: Request, inputs: Mapping[str, Any]) -> dict[str, Any]:
    return run_graph(request.graph, {**request.shared, **inputs}, frozenset(request.wanted), request.jitter)


# Where


def located(report: FunctionReport) -> dict[str, Any]:
    """The lines of both sides, and how far they are from what is marked."""
    where = report.localization
    if where is None:
        return {"located": "not found"}
    places = {"target": where.target, "source": where.source}
    found = {side: _distance(place, mark) for (side, place), mark in zip(places.items(), MARKS, strict=True)}
    best = min(found, key=lambda side: DISTANCES.index(found[side]))
    lines = {side: f"{place.op} {_line(place)}" for side, place in places.items() if place is not None}
    return {"located": found[best], "by": best, **lines}


def _line(place: Place) -> str:
    file, line = Path(place.location.file), place.location.line
    text = file.read_text().splitlines()[line - 1].strip()
    return f"{file.name}:{line}: {text.partition('  # ')[0]}"


def _distance(place: Place | None, mark: str) -> str:
    if place is None:
        return "further"
    text, line = Path(place.location.file).read_text(), place.location.line
    marked = {k for k, row in enumerate(text.splitlines(), 1) if mark in row}
    if line in marked:
        return "exact"
    return "near" if any(line in span and marked & set(span) for span in _functions(text)) else "further"


def _functions(text: str) -> Iterator[range]:
    """The lines of each function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


# Table


def print_table(found: Mapping[str, dict[str, Any]]) -> None:
    print(f"| {'report':<20} | {'model':<12} | {'verdict':<14} | {'s':>5} | located | by | op and line |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for key, row in found.items():
        file, _, name = key.partition(":")
        place, by = row.get("located", ""), row.get("by", "")
        where = row.get(by, row.get("text", "")).partition("\n")[0].removeprefix("aten.")
        start = f"| {file:<20} | {name:<12} | {row['verdict']:<14} | {row['seconds']:>5.1f}"
        print(f"{start} | {place:<7} | {by:<6} | {where} |")
    correct = [row for key, row in found.items() if key.endswith(":correct")]
    buggy = {key.partition(":")[0]: row for key, row in found.items() if key.endswith(":buggy")}
    print()
    print(f"correct: {sum(r['verdict'] == 'equivalent' for r in correct)} of {len(correct)} equivalent")
    print(f"buggy: {tally(buggy.values())}")
    known = [row for name, row in buggy.items() if name in KNOWN]
    print(f"known bugs: {tally(known)}")
    for tool, (caught, exactly) in PUBLISHED.items():
        print(f"{tool}, as published: of {len(KNOWN)} {caught} found, {exactly} exact")


def tally(rows: Collection[dict[str, Any]]) -> str:
    """How many were refuted, and how far what is located is from what is marked."""
    refuted = [row for row in rows if row["verdict"] == "not-equivalent"]
    places = Counter(row["located"] for row in refuted)
    return ", ".join([f"of {len(rows)} {len(refuted)} not equivalent", *(f"{places[d]} {d}" for d in DISTANCES)])


if __name__ == "__main__":
    main()
