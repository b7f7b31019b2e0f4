"""Exact arithmetic on float literals, where no rounding occurs: for subscripts that a program computes as floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.exactness.literal_reals import number_of

EXACT: Final[dict[str, Callable[..., Any]]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b if b else None,
    "arith.negf": lambda a: -a,
    "arith.maximumf": max,
    "arith.minimumf": min,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "arith.sitofp": lambda a: a,
    "arith.extf": lambda a: a,
    "arith.truncf": lambda a: a,
    "arith.fptosi": math.trunc,
}
"""The ops on real numbers; None where the result is no number."""


def folded(pool: TermPool, evaluator: Evaluator, term: Term) -> Term:
    """Exact constant folding: the term as a literal if no rounding occurs; else the term itself.

    No rounding: its operands are literals that stand for their exact numbers, and the result of a run is an exact
    number, equal to the result over the reals.
    """
    operands = [literal(a) for a in term.args]
    if term.op not in EXACT or None in operands:
        return term
    numbers = [_number(o, a.type) for o, a in zip(operands, term.args, strict=True) if o is not None]
    exact = None if None in numbers else EXACT[term.op](*numbers)
    run = evaluator(term, tuple(o for o in operands if o is not None))
    if exact is None or not isinstance(run, int | float):
        return term
    if isinstance(term.type, FloatType):
        return pool.real(float(run), term.type) if _number(float(run), term.type) == exact else term
    assert isinstance(term.type, IntType)
    half, whole = 1 << (term.type.width - 1), int(exact)
    fits = -half <= whole < half and (int(run) - whole) % (2 * half) == 0
    return pool.integer(whole % (2 * half), term.type) if fits else term


def _number(value: int | float, kind: ScalarType) -> Fraction | None:
    """The number that a literal is, None where it stands for another one or for none."""
    if isinstance(value, int):
        negative = isinstance(kind, IntType) and value >> (kind.width - 1) & 1
        return Fraction(value - (1 << kind.width) if negative and isinstance(kind, IntType) else value)
    if not math.isfinite(value) or not isinstance(kind, FloatType):
        return None
    known = number_of(value, kind.name)
    return known.rational if known.exact and not known.pi and not known.roots else None
