"""What would change an answer, in words and as ideas that can be tried: assumptions and switches.

A help text says what a user may give: more time, a larger e-graph, an assumption. An idea is a change of the question.
Ideas are guessed from loop bounds and signs that the failing input violates, and from the semantics in use. Nothing is
claimed of one before it was decided (`hecv.check`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term
from hecv.base.types import IndexType, IntType
from hecv.base.value import Buffer
from hecv.claim.idea import Idea
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import DISTINCT_IN_TARGET, computes_floats
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.index.exact_integers import signed
from hecv.program.index.quasi_affine import Linear, linear
from hecv.program.tree import Function, Loop, walk
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.portfolio_state import Asked

MOST_ASSUMPTIONS: Final = 4
"""Ideas of assumptions for one function: each may take seconds to decide."""

NEAR: Final = 1e-2
"""Relative difference of two floats, at most, that may come from rounding alone."""

STEPWISE: Final = "check the transformation in smaller steps: `hecv opt` checks each pass of a pipeline by itself"

# Ideas


def ideas(asked: Asked, report: FunctionReport) -> tuple[Idea, ...]:
    """What may turn the answer on a pair, the most likely first of each group."""
    case = asked.case
    points = [_values(case.functions[0], report)] if report.counterexample is not None else []
    if report.counterexample is None and asked.stuck is not None:
        points = [dict(point) for point in asked.stuck.hints]
    found = [*_switched(case, report), *_floats(case, report)]
    return (*found, *_assumptions(case.functions, points, report.unknown is not None))


def _switched(case: Case, report: FunctionReport) -> Iterator[Idea]:
    """The default semantics, where the user asked for less."""
    switches = case.task.switches
    if switches.may_overlap:
        yield Idea("alias", "without `--alias may`", switches=replace(switches, may_overlap=False))
    if switches.index_wraps:
        yield Idea("index", "without `--index-overflow wrap`", switches=replace(switches, index_wraps=False))


def _floats(case: Case, report: FunctionReport) -> Iterator[Idea]:
    switches = case.task.switches
    if switches.floats != "strict" or not any(map(computes_floats, case.functions)):
        return
    near = report.counterexample is None or _is_rounding(report)
    wanted: tuple[FloatMode, ...] = ("reassoc", "real") if near else ()
    for mode in wanted:
        made = replace(switches, floats=mode)
        otherwise = None
        if mode == "reassoc" and report.unknown is not None and re.search(r"`\w+\.\w+f`", report.unknown.text):
            otherwise = "if rounding does not matter, `--fp reassoc` or `--fp real` may prove it"
        yield Idea("fp", f"with `--fp {mode}`", switches=made, otherwise=otherwise)


def _is_rounding(report: FunctionReport) -> bool:
    """Whether rounding, or what the reals do not have (infinities, NaN, signs of zero), may be all that differs."""
    found = report.counterexample
    if found is None or found.kind != "value" or not isinstance(found.target, tuple):
        return False
    pairs = [(a, b) for s, t in zip(found.source, found.target, strict=True) for a, b in _elements(s.value, t.value)]
    floats = [(a, b) for a, b in pairs if isinstance(a, float) and isinstance(b, float)]
    return bool(floats) and len(floats) == len(pairs) and all(_near(a, b) for a, b in floats)


def _elements(one: object, other: object) -> Iterable[tuple[object, object]]:
    if isinstance(one, Buffer) and isinstance(other, Buffer):
        return ((a, b) for a, b in zip(one.data, other.data, strict=True) if repr(a) != repr(b))
    return [(one, other)] if repr(one) != repr(other) else []


def _near(one: float, other: float) -> bool:
    if not (math.isfinite(one) and math.isfinite(other)):
        return True
    return abs(one - other) <= NEAR * max(abs(one), abs(other))


def _assumptions(
    functions: tuple[Function, Function], points: Sequence[Mapping[Term, int]], is_open: bool
) -> Iterator[Idea]:
    """Constraints on arguments that exclude a failing input, or any, if none is known."""
    names = _names(functions[0])
    for text, _ in islice(_violated(_constraints(functions, names), points), MOST_ASSUMPTIONS):
        otherwise = f"if `{text}` always holds, say so: `--assume '{text}'`" if points and is_open else None
        yield Idea("assume", f"with `--assume '{text}'`", assume=text, otherwise=otherwise)


_Constraint = tuple[str, Linear]
"""A constraint as text, and the form that it says is at least 0."""


def _violated(constraints: Iterable[_Constraint], points: Sequence[Mapping[Term, int]]) -> Iterator[_Constraint]:
    known: set[str] = set()
    for text, form in constraints:
        values = [_value(form, point) for point in points]
        excluded = any(v is not None and v < 0 for v in values) or not points
        if excluded and text not in known:
            known.add(text)
            yield text, form


def _value(form: Linear, point: Mapping[Term, int]) -> int | None:
    if any(term not in point for term, _ in form.terms):
        return None
    return form.constant + sum(c * point[term] for term, c in form.terms)


def _constraints(functions: tuple[Function, Function], names: Mapping[Term, str]) -> Iterator[_Constraint]:
    """That loops do not run backwards, that numbers are not negative, not 0, and at most an extent or the end of a
    loop."""
    for function in functions:
        for loop in (s for s in walk(function.body) if isinstance(s, Loop)):
            for low in map(linear, loop.lowers):
                yield from (
                    _at_most(low, high, names) for high in map(linear, loop.uppers) if _named((low, high), names)
                )
    for least in (0, 1):
        for term, name in names.items():
            if least or not name.startswith("dim("):
                yield f"{name} >= {least}", Linear(-least, ((term, 1),))
    ends = {t for f in functions for s in walk(f.body) if isinstance(s, Loop) for t in s.uppers}
    for one, other in permutations(names, 2):
        if other in ends or names[other].startswith("dim("):
            yield _at_most(Linear(0, ((one, 1),)), Linear(0, ((other, 1),)), names)


def _named(forms: Iterable[Linear], names: Mapping[Term, str]) -> bool:
    terms = [term for form in forms for term, _ in form.terms]
    return bool(terms) and all(term in names for term in terms)


def _at_most(low: Linear, high: Linear, names: Mapping[Term, str]) -> _Constraint:
    parts = dict[Term, int]()
    for form, sign in ((high, 1), (low, -1)):
        for term, coefficient in form.terms:
            parts[term] = parts.get(term, 0) + sign * coefficient
    rest = Linear(high.constant - low.constant, tuple((t, c) for t, c in parts.items() if c))
    return f"{_text(low, names)} <= {_text(high, names)}", rest


def _text(form: Linear, names: Mapping[Term, str]) -> str:
    parts = [names[term] if c == 1 else f"{c}*{names[term]}" for term, c in form.terms]
    parts += [str(form.constant)] if form.constant or not parts else []
    return " + ".join(parts).replace("+ -", "- ")


def _names(function: Function) -> dict[Term, str]:
    """The integers and the dynamic extents of the arguments, by the terms that bounds have of them."""
    found: dict[Term, str] = {}
    for argument in function.arguments:
        name = argument.name if not argument.name[:1].isdigit() else f"%{argument.name}"
        if argument.term is not None and isinstance(argument.type, IndexType):
            found[argument.term] = name
        elif argument.term is not None and isinstance(argument.type, IntType) and argument.type.width > 1:
            casts = (t for t in function.terms if t.op == "arith.index_cast" and t.args == (argument.term,))
            found |= dict.fromkeys((argument.term, *casts), name)
        elif argument.memory is not None:
            extents = enumerate(argument.memory.extents)
            found |= {extent: f"dim({name}, {k})" for k, extent in extents if extent.op == "dim"}
    return found


def _values(function: Function, report: FunctionReport) -> dict[Term, int]:
    """The values of those terms on the input of a counterexample."""
    assert report.counterexample is not None
    given = {b.key: b for b in report.counterexample.inputs}
    found: dict[Term, int] = {}
    for argument in function.arguments:
        bound = given.get(f"arg{argument.number}")
        if bound is None:
            continue
        if isinstance(bound.value, Buffer) and argument.memory is not None:
            found |= dict(zip(argument.memory.extents, bound.value.shape, strict=True))
        elif isinstance(bound.value, int) and argument.term is not None:
            kind = argument.type
            value = signed(bound.value, kind.width) if isinstance(kind, IntType) else bound.value
            casts = [t for t in function.terms if t.op == "arith.index_cast" and t.args == (argument.term,)]
            found |= dict.fromkeys((argument.term, *casts), value)
    return found


# Help


def of_unknown(report: FunctionReport, task: Task) -> tuple[str, ...]:
    """What helps with an answer that a limit ended, or for which something is missing."""
    assert report.unknown is not None
    return tuple(_helps(report.unknown.reason, report.unknown.text, report.stop_reason, task))


def _helps(reason: str, text: str, stop: str | None, task: Task) -> Iterator[str]:
    match reason, stop:
        case "unsupported-op", _:
            yield from _of_unsupported(text, task)
        case "crash", _:
            yield "this is a bug of hecv or of a library: please report it with both files"
        case _, "time-limit" if "the time limit of" in text:
            yield f"`--time-limit {4 * task.seconds:g}` gives it four times as long"
        case _, "memory-limit":
            yield "`--memory-limit` gives it more memory"
        case _, "node-limit":
            yield f"`--node-limit {4 * task.strategy.nodes}` lets the e-graph of a question grow"
        case _, "time-limit" if task.strategy.engine == "auto":
            yield "`--engine theorems` gives the loop theorems more time"
            yield STEPWISE
        case "budget", _:
            yield STEPWISE
        case _:
            yield from [*_of_missing(text)] or [STEPWISE]


def _of_unsupported(text: str, task: Task) -> Iterator[str]:
    op = re.match(r"op `([\w.$-]+)`: it has no semantics here", text)
    width = re.search(r"has an index of (\d+) bits, --index-width", text)
    if op is not None and op[1].startswith("llvm."):
        yield "compare the programs before they are lowered to llvm"
    elif op is not None:
        yield f'if `{op[1]}` only computes a value, declare that in a rule file: `@op("{op[1]}")`, `--rules R.py`'
    elif width is not None:
        yield f"`--index-width {width[1]}` takes index to have the bits of the data layout"
    elif "--fp" in text:
        yield "without `--fp` floats are compared as IEEE-754 computes them"
    elif task.switches.may_overlap and "overlap" in text:
        yield "without `--alias may` memref arguments are taken to be distinct"


def _of_missing(text: str) -> Iterator[str]:
    if "--alias may" in text:
        yield "without `--alias may` memref arguments are taken to be distinct"
        if text.startswith(DISTINCT_IN_TARGET[:24]):
            yield "`memref.distinct_objects` in the source says that arguments are distinct"
    elif "--index-overflow wrap" in text:
        yield "bound what subscripts are computed from, as in `--assume 'n <= 1000000'`, or leave the switch out"
