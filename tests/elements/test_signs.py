"""What is known of signs holds of the values of random terms, at every point at which all of these have one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import pytest

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType
from hecv.elements.expression_signs import NOT_NEGATIVE, POSITIVE, Signs
from hecv.elements.infinities import NotReal
from hecv.elements.real_field import Field
from hecv.elements.real_sums import TooLarge
from hecv.elements.real_terms import Reals

F64: Final = FloatType("f64")
ARGUMENTS, OPS, POINTS = 3, 8, 40
SMALL: Final = 1e-9
"""What is as near to 0 may be 0, rounded."""

UNARY: Final[dict[str, Callable[[float], float]]] = {
    "arith.negf": lambda a: -a,
    "math.absf": abs,
    "math.sqrt": math.sqrt,
    "math.rsqrt": lambda a: 1 / math.sqrt(a),
    "math.exp": math.exp,
    "math.log": math.log,
}
BINARY: Final[dict[str, Callable[[float, float], float]]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.maximumf": max,
    "arith.minimumf": min,
}
EXPONENTS: Final = (2.0, 3.0, -1.0, -2.0, 0.5, 1.5)


def terms(pool: TermPool, random: Random) -> list[Term]:
    """A few terms, each of some before it."""
    found = [pool.argument(k, F64) for k in range(ARGUMENTS)]
    for _ in range(OPS):
        kind = random.random()
        if kind < 0.15:
            exponent = pool.real(random.choice(EXPONENTS), F64)
            found.append(pool.make("math.powf", (random.choice(found), exponent), F64))
        elif kind < 0.5:
            found.append(pool.make(random.choice([*UNARY]), (random.choice(found),), F64))
        else:
            found.append(pool.make(random.choice([*BINARY]), (random.choice(found), random.choice(found)), F64))
    return found[ARGUMENTS:]


def value(term: Term, point: list[float], known: dict[int, float]) -> float:
    """The value of a term at a point. Raises: ValueError, ArithmeticError where it has none."""
    if term.id in known:
        return known[term.id]
    number = literal(term)
    if isinstance(number, float):
        return number
    if not term.args:
        return point[int(str(term.attr("number")))]
    args = [value(a, point, known) for a in term.args]
    if term.op == "math.powf":
        found = math.pow(*args)
    else:
        found = UNARY[term.op](*args) if len(args) == 1 else BINARY[term.op](*args)
    known[term.id] = found
    return found


def points(random: Random, order: list[Term]) -> Iterator[dict[int, float]]:
    """The values of all terms, at points at which each has one."""
    for _ in range(POINTS):
        point = [random.choice((0.0, 1.0, -1.0, 2.0, random.uniform(-3, 3))) for _ in range(ARGUMENTS)]
        known: dict[int, float] = {}
        try:
            for term in order:
                value(term, point, known)
        except (ValueError, ArithmeticError):
            continue
        yield known


@pytest.mark.parametrize("seed", range(12))
def test_what_is_known_of_signs_holds(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        order = terms(TermPool(), random)
        reals = Reals(Field(200))
        try:
            reals.read(order)
        except (NotReal, TooLarge):
            continue
        signs = Signs(reals)
        for term in order:
            for need in reals.needs.get(term.id, ()):
                signs.give(need)
            signs.note(term)
        said = {t: signs.of(reals.value(t)) for t in order}
        for known in points(random, order):
            for term, sign in said.items():
                found = known[term.id]
                assert sign < NOT_NEGATIVE or found > -SMALL, (order, known)
                assert sign < POSITIVE or found > 0 or _is_rounded(known), (order, known)


def _is_rounded(known: dict[int, float]) -> bool:
    """Whether some value is so near to 0 that another may be 0 by rounding."""
    return any(0 < abs(v) < SMALL for v in known.values()) or any(abs(v) > 1 / SMALL for v in known.values())
