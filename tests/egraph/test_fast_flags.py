"""What fast flags are taken to make equal, on random terms and on values that are infinite or NaN, too."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from tests.egraph.terms import Terms

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, FloatType
from hecv.base.value import Poison, Scalar
from hecv.prove.terms.fastmath_terms import licensed_equal
from hecv.run.evaluation.op_evaluation import Evaluator

F64 = FloatType("f64")
T = Terms(F64)
X, Y, P = T.leaf(0), T.leaf(1), T.leaf(2, BOOL)
POINTS = [*product((-2.0, 0.0, 0.5, 4.0, math.inf, math.nan), (-1.0, 0.0, 2.0, math.inf), (0, 1))]
EVALUATE = Evaluator()

Make = Callable[[Term, Term], Term]


def fast(name: str) -> Make:
    return lambda a, b: T.op(name, a, b, fastmath="fast")


ADD, SUB, MUL, DIV = map(fast, ("addf", "subf", "mulf", "divf"))
ZERO, ONE = T.literal(0.0), T.literal(1.0)


def selected(a: Term, b: Term) -> Term:
    return T.op("select", P, a, b, to=F64)


def greater(a: Term, b: Term) -> Term:
    return T.op("select", T.op("cmpf", a, b, to=BOOL, predicate="ogt"), a, ONE, to=F64)


SHAPES: tuple[Make, ...] = (ADD, SUB, MUL, DIV, selected, greater)
SAME: tuple[tuple[Make, Make], ...] = (
    (lambda a, b: a, lambda a, b: ADD(a, SUB(b, b))),
    (lambda a, b: a, lambda a, b: ADD(a, MUL(ZERO, b))),
    (lambda a, b: a, lambda a, b: DIV(MUL(a, b), b)),
    (lambda a, b: MUL(a, DIV(ONE, b)), DIV),
    (ADD, lambda a, b: ADD(b, a)),
    (SUB, lambda a, b: ADD(a, SUB(ZERO, b))),
    (lambda a, b: selected(DIV(a, b), ZERO), lambda a, b: selected(MUL(DIV(ONE, b), a), ZERO)),
)
"""What is equal over the reals, where it has a value."""


def drawn(random: Random, depth: int) -> Term:
    if not depth or random.random() < 0.2:
        return random.choice((X, Y, ONE))
    return random.choice(SHAPES)(drawn(random, depth - 1), drawn(random, depth - 1))


def pair(random: Random) -> tuple[Term, Term]:
    """Two terms that differ in one part, which is computed in two ways."""
    a, b = drawn(random, 1), drawn(random, 1)
    sides = [make(a, b) for make in random.choice(SAME)]
    random.shuffle(sides)
    for _ in range(random.randrange(3)):
        shape, other = random.choice(SHAPES), drawn(random, 1)
        sides = [shape(side, other) for side in sides]
    return sides[0], sides[1]


def value(root: Term, point: tuple[Scalar, ...]) -> Scalar | None:
    found: dict[int, Scalar | None] = {t.id: x for t, x in zip((X, Y, P), point, strict=True)}
    for term in postorder((root,)):
        if term.id not in found:
            known = literal(term)
            found[term.id] = known if known is not None else EVALUATE(term, tuple(found[a.id] for a in term.args))  # type: ignore[arg-type]
    return found[root.id]


def wrong(source: Term, target: Term) -> tuple[Scalar, ...] | None:
    """A point at which the target does not refine the source."""
    for point in POINTS:
        one, other = value(source, point), value(target, point)
        if isinstance(one, Poison) or one is None:
            continue
        if not isinstance(one, float) or not isinstance(other, float):
            return point
        if not (math.isnan(one) and math.isnan(other)) and one != other and not math.isclose(one, other, abs_tol=1e-9):
            return point
    return None


@pytest.mark.one_in(6)
def test_what_fast_flags_make_equal_has_the_same_values() -> None:
    random, shown, apart = Random(3), 0, 0
    for _ in range(500):
        source, target = pair(random)
        found = licensed_equal(T.pool, source, target, "strict", 64)
        if found is None:
            apart += wrong(source, target) is not None
            continue
        shown += 1
        assert wrong(source, target) is None, (source, target)
        assert not found.converse or wrong(target, source) is None, (source, target)
    assert shown >= 300 and apart >= 40
