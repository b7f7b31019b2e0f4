"""Report of `hecv check` as JSON, schema `hecv.verdict/1`: one object, errors included; keys are only ever added."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from hecv.base.diagnostics import Diagnostic, Location
from hecv.base.types import IntType, MemRefType, Type
from hecv.base.value import Buffer, Poison, Scalar, Value
from hecv.claim.result import (
    Binding,
    Counterexample,
    Divergence,
    FunctionReport,
    Localization,
    ModelPairs,
    Place,
    Report,
    Saturation,
    Trap,
)
from hecv.program.index.exact_integers import signed

if TYPE_CHECKING:
    from hecv.report.formats import Checked

SCHEMA: Final = "hecv.verdict/1"
LONGEST_DATA: Final = 1000
EXACT: Final = 1 << 53
"""Integers beyond this are printed as strings, since a reader may hold numbers as doubles."""


def answer(given: Checked, versions: dict[str, str]) -> dict[str, Any]:
    """The answer as plain data."""
    return to_json(given.report, versions)


def to_json(report: Report, versions: dict[str, str]) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "relation": report.relation,
        "seconds": round(report.seconds, 4),
        "seed": report.seed,
        "versions": versions,
        "diagnostics": [diagnostic_json(d) for d in report.diagnostics],
        "functions": [function_json(f) for f in report.functions],
        "uncertified": sum(f.uncertified is not None for f in report.functions),
    }


def function_json(report: FunctionReport) -> dict[str, Any]:
    """The verdict on one function as plain data."""
    unknown, proof = report.unknown, report.proof
    return {
        "name": report.name,
        "verdict": report.verdict,
        "evidence": report.evidence,
        "engine": report.engine,
        "seconds": round(report.seconds, 4),
        "assumptions": [{"id": a.id, "text": a.text, "switch": a.switch} for a in report.assumptions],
        "rules": [{"name": r.name, "kind": r.kind, "uses": r.uses, "evidence": r.evidence} for r in report.rules],
        "conditions": [{"when": text, "verdict": report.verdict} for text in report.conditions],
        "runs": report.runs,
        "runs_skipped": report.runs_skipped,
        "stop_reason": report.stop_reason,
        "unknown": unknown
        and {
            "reason": unknown.reason,
            "text": unknown.text,
            "location": None if unknown.location is None else str(unknown.location),
        },
        "counterexample": report.counterexample and _counterexample(report.counterexample),
        "localization": report.localization and _localization(report.localization),
        "notes": list(report.notes),
        "proof": proof
        and {
            "visits": proof.visits,
            "widenings": proof.widenings,
            "statements": list(proof.statements),
            "seconds": round(proof.seconds, 4),
        },
        "egraph": report.saturation and _saturation(report.saturation),
        "models": report.models and _models(report.models),
        "phases": _seconds(report.phases),
        "uncertified": report.uncertified,
        "prover": report.prover,
        "passes": list(report.passes),
        "source": _location(report.locations[0]),
        "target": _location(report.locations[1]),
        "help": list(report.help),
        "chunk": report.chunk,
    }


def _saturation(taken: Saturation) -> dict[str, Any]:
    return {
        "rounds": taken.rounds,
        "classes": taken.classes,
        "nodes": taken.nodes,
        "dynamic_rules": taken.dynamic,
        "seconds": _seconds(taken.phases),
    }


def _models(pairs: ModelPairs) -> dict[str, Any]:
    return {
        "layers": pairs.layers,
        "ops": list(pairs.ops),
        "candidates": pairs.candidates,
        "proved": pairs.proved,
        "methods": dict(pairs.methods),
        "parameters": dict(pairs.parameters),
        "rules": [
            {
                "name": rule.name,
                "kind": rule.kind,
                "evidence": rule.evidence,
                "known": rule.known,
                "statement": rule.statement.splitlines(),
                "fired": dict(rule.fired),
            }
            for rule in pairs.rules
        ],
    }


def _seconds(phases: tuple[tuple[str, float], ...]) -> dict[str, float]:
    return {phase: round(seconds, 4) for phase, seconds in phases}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data."""
    place = diagnostic.location
    return {
        "severity": diagnostic.severity,
        "name": diagnostic.name,
        "message": diagnostic.message,
        **_location(place),
        "help": diagnostic.help,
    }


def _location(place: Location | None) -> dict[str, Any]:
    if place is None:
        return {"file": None, "line": None, "column": None}
    return {"file": place.file, "line": place.line, "column": place.column}


def _localization(where: Localization) -> dict[str, Any]:
    return {"source": _place(where.source), "target": _place(where.target), "because": where.because}


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {**_location(place.location), "op": place.op}


def _counterexample(found: Counterexample) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "inputs": _bindings(found.inputs),
        "source": _bindings(found.source),
        "target": _end(found.target),
        "engines": list(found.engines),
        "difference": found.difference,
        "calls": list(found.calls),
    }


def _end(end: tuple[Binding, ...] | Trap | Divergence) -> dict[str, Any]:
    match end:
        case Trap(text, location):
            return {"undefined": text, "location": None if location is None else str(location)}
        case Divergence(text, location):
            return {"diverges": text, "location": None if location is None else str(location)}
        case _:
            return _bindings(end)


def _bindings(bindings: tuple[Binding, ...]) -> dict[str, Any]:
    return {b.key: value_json(b.value, b.type) for b in bindings}


def value_json(value: Value, kind: Type) -> Any:
    """A value as JSON: integers are signed; what a JSON number cannot hold is a string."""
    if isinstance(value, Buffer):
        assert isinstance(kind, MemRefType)
        data = [_scalar(x, kind.element) for x in value.data[:LONGEST_DATA]]
        return {"shape": list(value.shape), "data": data}
    return _scalar(value, kind)


def _scalar(value: Scalar, kind: Type) -> Any:
    match value:
        case Poison():
            return {"poison": True}
        case float():
            # `repr` gives nan, inf, -inf and -0.0.
            return value if math.isfinite(value) and repr(value) != "-0.0" else repr(value)
        case int():
            number = signed(value, kind.width) if isinstance(kind, IntType) and kind.width > 1 else value
            return number if abs(number) <= EXACT else str(number)
