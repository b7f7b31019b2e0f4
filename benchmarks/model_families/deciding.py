"""Decides pairs of torch models within this process: capture, values and proof as `hecv models` does them, without the
seconds in which processes start and import. Seconds are those of one core that this process had: what else runs on the
machine does not count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

import torch

from hecv.base.diagnostics import InputError
from hecv.capture.value_process import Request
from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.relate import model_relation, model_search
from hecv.relate.graph_relation import USUAL, SearchOptions
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import NotRun, run_graph

torch.set_num_threads(1)
model_relation.perf_counter = model_search.perf_counter = process_time

Make = Callable[[], tuple[torch.nn.Module, tuple[Any, ...]]]


def decide(source: Make, target: Make, seconds: float = 120, search: SearchOptions = USUAL) -> dict[str, Any]:
    """The verdict on two models with counts, seconds by phase, and where they differ or what is not proved."""
    started = process_time()
    graphs: list[CapturedGraph] = []
    for make in (source, target):
        try:
            module, arguments = make()
            captured = capture_graph(module, arguments, "model")
        except Exception as problem:  # whatever the export of a model raises
            return {"verdict": "error", "note": _first_line(f"{type(problem).__name__}: {problem}")}
        if not isinstance(captured, CapturedGraph):
            return {"verdict": "unknown" if captured.unsupported else "error", "note": _first_line(captured.text)}
        graphs.append(captured)
    capture = process_time() - started
    try:
        names, pair = ("a:source", "b:target"), (graphs[0], graphs[1])
        found = compare_graphs(names, pair, None, Options(seconds=seconds), _run, search=search)
    except InputError as problem:
        return {"verdict": "error", "note": _first_line(problem.diagnostics[0].message)}
    except NotRun as problem:
        return {"verdict": "unknown", "note": _first_line(str(problem))}
    return _row(found.report.functions[0], capture)


def _run(requests: Sequence[Request]) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = []
    for r in requests:
        sets = [{**r.shared, **leaves} for leaves in r.sets]
        found.append([run_graph(r.graph, leaves, frozenset(r.wanted), r.jitter) for leaves in sets])
    return found


def _row(report: FunctionReport, capture: float) -> dict[str, Any]:
    pairs = report.models
    methods = dict(pairs.methods) if pairs else {}
    row: dict[str, Any] = {
        "verdict": report.verdict,
        "layers": pairs.layers if pairs else 0,
        "ops": list(pairs.ops) if pairs else [],
        "pairs": pairs.candidates if pairs else 0,
        "proved": pairs.proved if pairs else 0,
        "methods": methods,
        "rules": [
            [rule.name, rule.kind, rule.evidence.split(" ")[0].rstrip(":"), _sizeless(rule.statement), fired]
            for rule in (pairs.rules if pairs else ())
            if (fired := sum(count for _, count in rule.fired))
        ],
        "seconds": {"capture": round(capture, 2)}
        | {name: round(s, 3) for name, s in report.phases if name != "capture"},
        "assumptions": sorted({a.id for a in report.assumptions}),
    }
    if report.localization is not None:
        for side in ("source", "target"):
            place = getattr(report.localization, side)
            if place is not None:
                row[side] = f"{Path(place.location.file).name}:{place.location.line}: {_line(place.location)}"
    if report.counterexample is not None:
        row["difference"] = report.counterexample.difference
    if report.unknown is not None:
        row["note"] = _first_line(report.unknown.text)
        if report.unknown.location is not None:
            place = report.unknown.location
            row["target"] = f"{Path(place.file).name}:{place.line}: {_line(place)}"
    return row


def _sizeless(statement: str) -> str:
    """A digest of a rule in which numbers of two and more are named in their order: equal for rules that differ in
    sizes alone."""
    names: dict[str, str] = {}
    text = re.sub(
        r"(?<![\w.])(?:[2-9]|\d{2,})(?![\w.])|(?<![\w.])\d+(?=x)|(?<=x)\d+(?=x)",
        lambda m: names.setdefault(m[0], f"n{len(names)}") if m[0] != "1" else "1",
        statement,
    )
    return sha256(text.encode()).hexdigest()[:8]


def _line(location: Any) -> str:
    lines = Path(location.file).read_text(encoding="utf-8").splitlines()
    return lines[location.line - 1].strip()


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:300]
