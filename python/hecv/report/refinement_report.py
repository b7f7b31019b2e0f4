"""Report of `hecv refine`: text, JSON (schema `hecv.refinement/1`), the output relation as TOML, and as a Python
function that rebuilds the sequential outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hecv.refine.derived_laws import LawUse
from hecv.refine.given_tensors import sizes_text
from hecv.refinement import Degree, RefinementReport
from hecv.relate.graphs.lookups import FILLED, IN_RANGE, IN_TABLE
from hecv.report.text_lines import Painter
from hecv.report.verdict_json import diagnostic_json
from hecv.report.verdict_text import verdict_color
from hecv.tensors.tensor_graph import LARGEST, SourceLine

SCHEMA: Final = "hecv.refinement/1"
OF_INDICES: Final = {
    IN_RANGE: "indices of inputs that only ranks look up are within their tables",
    IN_TABLE: FILLED,
}
"""What is assumed of look-ups, by its name."""

SHOWN: Final = 8
"""Relations of given tensors that an answer shows."""


def text(report: RefinementReport, versions: Mapping[str, str], color: bool, verbose: bool) -> str:
    """For people."""
    paint = Painter(color)
    return "".join(f"{line}\n" for degree in report.degrees for line in _degree(report, degree, paint, verbose))


def _degree(report: RefinementReport, degree: Degree, paint: Painter, verbose: bool) -> Iterator[str]:
    name = report.specs[1].rpartition(":")[2]
    ranks = f"{degree.ranks} rank{'s' if degree.ranks != 1 else ''}"
    yield f"{paint(verdict_color(degree.verdict), degree.verdict)}: {name} on {ranks}"
    for output, expression in degree.outputs.items():
        yield f"  {output} = {expression}"
    if degree.sizes and degree.verdict == "refines":
        yield f"  for every {_ranges(degree)}"
    if degree.deadlock is not None:
        yield f"  deadlock: {degree.deadlock.text}"
        for rank, place in degree.deadlock.places:
            yield from _placed(f"    rank {rank}", place)
    if degree.counterexample is not None:
        c = degree.counterexample
        where = f"{c.output}[{', '.join(map(str, c.index))}]"
        yield f"  {c.output} = {c.relation} was expected"
        at = f", where {sizes_text(c.at)}," if c.at else ""
        yield f"  on {c.inputs}{at} {where} is {c.expected!r}, the ranks give {c.found!r}"
    if degree.unknown:
        yield from (f"  {line}" for line in degree.unknown.splitlines())
    if degree.blocked is not None:
        b = degree.blocked
        what = "the ranks return the result of" if b.returned else "the first op without a relation is"
        what = "the op is" if b.looks_up else what
        yield from _placed(f"  {what} {b.op}", b.place)
        for value, expression in b.inputs:
            yield f"    {'although there is' if b.returned else 'it reads'} {value} = {expression}"
        if b.why and verbose:
            yield from (f"    {line}" for line in b.why.splitlines())
    for name, expression in degree.logged.items():
        yield f"  logged {name} = {expression}" if expression else f"  logged {name} has no relation"
    if degree.alone:
        yield f"  without a relation: {', '.join(degree.alone)}"
    yield from _supposed(degree, None if verbose else SHOWN)
    if verbose:
        yield from _more(degree)


def _ranges(degree: Degree) -> str:
    """The ranges of symbolic sizes."""
    *most, last = map(str, degree.sizes)
    return f"{', '.join(most)} and {last}" if most else last


def _placed(what: str, place: SourceLine | None) -> Iterator[str]:
    if place is None:
        yield what
        return
    file = os.path.relpath(place.file)
    yield f"{what}, {place.file if file.startswith(os.pardir) else file}:{place.line}"
    if place.text:
        yield f"      {place.text}"


def _supposed(degree: Degree, most: int | None) -> Iterator[str]:
    """What the answer supposes: how what is given is related, and what proofs over the reals take for granted."""
    related = [f"{name} = {expression}" for name, expression in degree.given.items()]
    if related:
        yield "  supposing of what is given:"
        yield from (f"    {line}" for line in related[:most])
        if len(related[:most]) < len(related):
            yield f"    and {len(related) - len(related[:most])} more (-v)"
    if degree.ops:
        yield "  of your ops: " + ", ".join(f"{n} ({k})" for n, k in sorted(degree.ops.items()))
    reals = {n: k for n, k in sorted(degree.assumptions.items()) if n not in OF_INDICES}
    if reals:
        yield "  and of real numbers: " + ", ".join(f"{n} ({k})" for n, k in reals.items())
    for name, told in OF_INDICES.items():
        if name in degree.assumptions:
            yield f"  and {name}: {told} ({degree.assumptions[name]})"


def _more(degree: Degree) -> Iterator[str]:
    yield f"  {degree.nodes[0]} ops, {degree.nodes[1]} of all ranks; {degree.related} values related"
    if degree.ways:
        yield f"  run where {'; '.join(map(sizes_text, degree.ways))}"
    if degree.phases:
        yield "  " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in degree.phases.items())
    if degree.laws:
        yield "  laws that the proofs derived, and the values that have them:"
        yield from (f"    {use.law} ({use.values})" for use in degree.laws)


# JSON


def as_json(report: RefinementReport, versions: Mapping[str, str], color: bool, verbose: bool) -> str:
    """For tools."""
    first = report.degrees[0]
    head: dict[str, Any] = {"schema": SCHEMA, "versions": dict(versions), "verdict": report.verdict}
    if len(report.degrees) == 1 and not report.problems:
        head |= _plain(first)
    else:
        head["degrees"] = [_plain(degree) for degree in report.degrees]
    if report.problems:
        head |= {"verdict": "error", "diagnostics": [diagnostic_json(problem) for problem in report.problems]}
    head["seconds"] = round(report.seconds, 3)
    return json.dumps(head, indent=2) + "\n"


def _plain(degree: Degree) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ranks": degree.ranks,
        "verdict": degree.verdict,
        "outputs": dict(degree.outputs),
        "inputs": dict(degree.given),
        "unrelated": list(degree.alone),
        "blocked": None,
        "counterexample": None,
        "seconds": round(degree.seconds, 3),
        "assumptions": dict(degree.assumptions),
        "ops": dict(degree.ops),
        "logged": {name: expression or None for name, expression in degree.logged.items()},
    }
    if degree.sizes:
        found["sizes"] = [
            {"name": s.called, "least": s.least, "most": s.most if s.most < LARGEST else None} for s in degree.sizes
        ]
        found["sizes_run"] = [dict(at) for at in degree.ways]
    found["laws"] = [_law(use) for use in degree.laws]
    if degree.unknown:
        found["reason"] = degree.unknown
    if degree.blocked is not None:
        b = degree.blocked
        found["blocked"] = {
            "op": b.op,
            "location": _location(b.place),
            "inputs": dict(b.inputs),
            "returned": b.returned,
            "looks_up": b.looks_up,
        }
    if degree.counterexample is not None:
        c = degree.counterexample
        found["counterexample"] = {
            **{"kind": "relation", "output": c.output, "relation": c.relation, "index": list(c.index)},
            **{"expected": c.expected, "found": c.found, "inputs": c.inputs},
            **({"sizes": dict(c.at)} if c.at else {}),
        }
    if degree.deadlock is not None:
        places = [{"rank": rank, "location": _location(place)} for rank, place in degree.deadlock.places]
        found["counterexample"] = {"kind": "deadlock", "text": degree.deadlock.text, "places": places}
    return found


def _law(use: LawUse) -> dict[str, Any]:
    law = use.law
    return {
        **{"law": str(law), "op": law.op, "after": list(law.after), "operands": list(law.operands)},
        **{"result": law.result, "collectives": list(law.collectives)},
        **{"values": use.values, "proofs": use.proofs, "location": _location(use.place)},
    }


def _location(place: SourceLine | None) -> dict[str, Any] | None:
    return None if place is None else {"file": place.file, "line": place.line, "text": place.text}


# The relation alone


def as_toml(report: RefinementReport, versions: Mapping[str, str], color: bool, verbose: bool) -> str:
    """The output relation of the last degree, as a relation file has it."""
    last = report.degrees[-1]
    lines = [f"{json.dumps(name)} = {json.dumps(text)}" for name, text in last.outputs.items()]
    sizes = [f"# for every {_ranges(last)}"] if last.sizes and last.verdict == "refines" else []
    return "\n".join(["[outputs]", *sizes, *lines, ""])


def as_python(report: RefinementReport, versions: Mapping[str, str], color: bool, verbose: bool) -> str:
    """A function from the outputs of the ranks (one dictionary a rank) to those of the sequential model."""
    lines = [
        "import numpy as np",
        "",
        "",
        "def sequential_outputs(ranks):",
        '    """From one dictionary of outputs a rank to those of the sequential model."""',
        "    return {",
        *(f"        {name!r}: {code}," for name, code in report.degrees[-1].code.items()),
        "    }",
        "",
    ]
    return "\n".join(lines)


FORMS: Final[Mapping[str, Callable[[RefinementReport, Mapping[str, str], bool, bool], str]]] = {
    "text": text,
    "json": as_json,
    "toml": as_toml,
    "python": as_python,
}
