"""Unspecified ops: what is assumed of ops whose result or rounding LangRef leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IntType
from hecv.claim.result import Assumption
from hecv.ops.facts.poison_conditions import CHOOSING, CLAMP
from hecv.ops.fastmath_flags import FloatMode
from hecv.ops.transcendental import GREATEST_POWER, NARROW, STEPWISE, transcendental
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Function, Role
from hecv.run.evaluation.libm_functions import library_name
from hecv.run.interpreter.outcome_analysis import terms_of

_POWER: Final = "math.fpowi"
_ROOT: Final = "math.rsqrt"
LIBRARY: Final = frozenset({"f32", "f64"})
"""Formats of the C library."""


def left_open(functions: Sequence[Function], mode: FloatMode) -> Iterator[Assumption]:
    """The assumptions on the ops that occur in the functions."""
    yield from _narrow_functions(functions)
    yield from _literal_powers(functions)
    yield from _rounded_roots(functions, mode)
    yield from _single_values(functions[-1], mode)
    yield from _library_constants(functions)


def _narrow_functions(functions: Sequence[Function]) -> Iterator[Assumption]:
    """That functions on narrow formats are those on f32, rounded: of each that is used on such a format and on another
    one of these. One that is used on a single format may be any function there, so nothing is assumed of it."""
    formats: dict[str, set[str]] = {}
    for term in (t for f in functions for g in (f, *f.callees.values()) for t in terms_of(g)):
        if term.op in transcendental.operators and term.op not in STEPWISE and isinstance(term.type, FloatType):
            formats.setdefault(term.op, set()).add(term.type.name)
    names = sorted(op for op, used in formats.items() if used & NARROW and len(used & (NARROW | {"f32"})) > 1)
    if names:
        text = f"on f16 and bf16 these are what they are on f32, rounded: {', '.join(names)}"
        yield Assumption("narrow-functions", text, None)


def _literal_powers(functions: Sequence[Function]) -> Iterator[Assumption]:
    """How `math.fpowi` multiplies, where it does by a small literal other than 0 and 1, or by what may become one."""
    powers = [t.args[1] for f in functions for g in (f, *f.callees.values()) for t in terms_of(g) if t.op == _POWER]
    if any(map(_may_be_multiplied, powers)):
        yield Assumption("powers-squared", "math.fpowi by a literal multiplies by squaring, each product rounded", None)


def _rounded_roots(functions: Sequence[Function], mode: FloatMode) -> Iterator[Assumption]:
    """How `math.rsqrt` is rounded, where something is."""
    terms = (t for f in functions for g in (f, *f.callees.values()) for t in terms_of(g))
    if mode != "real" and any(t.op == _ROOT for t in terms):
        yield Assumption("rsqrt-rounded", "math.rsqrt is one by the square root, both rounded", None)


def _single_values(target: Function, mode: FloatMode) -> Iterator[Assumption]:
    """That ops which leave the sign of a zero open, each time, compute the same of the same operands: the target may
    have twice what the source computes once and uses twice. Over the reals zero has no sign."""
    used = {t.op for g in (target, *target.callees.values()) for t in terms_of(g)}
    names = sorted(used & {*CHOOSING, CLAMP})
    if names and mode != "real":
        yield Assumption("one-value", f"each of these computes the same of the same operands: {', '.join(names)}", None)


def _library_constants(functions: Sequence[Function]) -> Iterator[Assumption]:
    """Which library computes functions of constants, where a function without inputs uses some."""
    if all(a.role is Role.RESULT for f in functions for a in f.inputs()):
        terms = (t for f in functions for g in (f, *f.callees.values()) for t in terms_of(g))
        names = sorted({t.op for t in terms if is_of_library(t)})
        if names:
            text = f"of constants, these are what {library_name()} computes on this machine: {', '.join(names)}"
            yield Assumption("library-constants", text, None)


def is_of_library(term: Term) -> bool:
    """Whether the root of `term` is a function that the C library has in the format of the term."""
    if term.op not in transcendental.operators or term.op in STEPWISE:
        return False
    return isinstance(term.type, FloatType) and term.type.name in LIBRARY


def _may_be_multiplied(power: Term) -> bool:
    value = literal(power)
    if not isinstance(value, int) or not isinstance(power.type, IntType):
        return True
    number = signed(value, power.type.width)
    return number not in (0, 1) and abs(number) <= GREATEST_POWER
