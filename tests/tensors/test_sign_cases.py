"""Proofs that need the sign of a term: minima and maxima, selections, products over prefixes; and wrong twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import pytest

from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.algebra.verdicts import Gap, Proof
from hecv.tensors.comprehension import Scalar, apply, compare, leaf, reduce_over, select, sum_of, truth
from hecv.tensors.index_terms import Index, fresh

N: Final = 5
X, Y, Z = (leaf(name, (N,)) for name in "xyz")
PLACE = fresh(N)
x, y, z = X[PLACE], Y[PLACE], Z[PLACE]
Element = Callable[[Index], Scalar]
Number = Scalar | int | Fraction
TENTH: Final = Fraction(1, 10)


def largest(*operands: Number) -> Scalar:
    return apply("max", *operands)


def smallest(*operands: Number) -> Scalar:
    return apply("min", *operands)


def relu(a: Scalar) -> Scalar:
    return largest(a, 0)


def size(a: Scalar) -> Scalar:
    return apply("abs", a)


def sign(a: Scalar) -> Scalar:
    return apply("sign", a)


def exp(a: Scalar) -> Scalar:
    return apply("exp", a)


def log(a: Scalar) -> Scalar:
    return apply("log", a)


def root(a: Scalar) -> Scalar:
    return apply("sqrt", a)


def where_positive(a: Scalar, yes: Number, no: Number) -> Scalar:
    return select(compare("lt", 0, a), yes, no)


def sigmoid(a: Scalar) -> Scalar:
    return 1 / (1 + exp(-a))


def stable_sigmoid(a: Scalar) -> Scalar:
    return select(compare("le", 0, a), sigmoid(a), exp(a) / (1 + exp(a)))


def clamp_by_cases(a: Scalar, low: int, high: int) -> Scalar:
    return select(compare("lt", high, a), high, select(compare("lt", a, low), low, a))


def shrunk(a: Scalar) -> Scalar:
    return select(compare("lt", 1, a), a - 1, select(compare("lt", a, -1), a + 1, 0))


def over(kind: str, element: Element) -> Scalar:
    return reduce_over(kind, (N,), element)


def up_to(element: Element, off: int = 0) -> Scalar:
    """The product of the elements up to the index."""
    return over("product", lambda k: select(k <= PLACE + off, element(k), 1))


def one_by_one(element: Element, first: int = 0) -> Scalar:
    """Running products, each written out."""
    found = [element(Index(0, ()))]
    for k in range(1, N):
        found.append(found[-1] * element(Index(k, ())))
    total = found[-1]
    for n in reversed(range(N - 1)):
        total = select(n >= PLACE, found[max(n + first, 0)], total)
    return total


def huber(a: Scalar) -> Scalar:
    return select(compare("le", size(a), 1), a * a / 2, size(a) - Fraction(1, 2))


def median(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    return largest(smallest(a, b), smallest(largest(a, b), c))


Pair = tuple[Scalar, Scalar]

SAME: Final[dict[str, Pair]] = {
    "relu by a mask": (relu(x), x * truth(compare("lt", 0, x))),
    "relu by a size": (relu(x), (x + size(x)) / 2),
    "clamp by cases": (smallest(largest(x, -1), 2), clamp_by_cases(x, -1, 2)),
    "clamp by relu": (smallest(largest(x, -1), 2), -1 + relu(x + 1) - relu(x - 2)),
    "clamp twice": (smallest(largest(smallest(largest(x, -1), 1), -2), 2), smallest(largest(x, -1), 1)),
    "elu by relu": (where_positive(x, x, exp(x) - 1), relu(x) - relu(1 - exp(x))),
    "celu by a minimum": (where_positive(x, x, 2 * (exp(x / 2) - 1)), relu(x) + smallest(2 * (exp(x / 2) - 1), 0)),
    "leaky relu": (where_positive(x, x, x * TENTH), largest(x, x * TENTH)),
    "parametric relu": (where_positive(x, x, x * y), relu(x) + y * smallest(x, 0)),
    "logistic function": (sigmoid(x), stable_sigmoid(x)),
    "its logarithm": (-log(1 + exp(-x)), log(stable_sigmoid(x))),
    "softplus": (log(1 + exp(x)), relu(x) + log(1 + exp(-size(x)))),
    "logaddexp": (log(exp(x) + exp(y)), largest(x, y) + log(1 + exp(-size(x - y)))),
    "tanh": (apply("tanh", x), sign(x) * (1 - exp(-2 * size(x))) / (1 + exp(-2 * size(x)))),
    "huber": (huber(x), smallest(size(x), 1) * (size(x) - smallest(size(x), 1) / 2)),
    "soft shrinking": (sign(x) * relu(size(x) - 1), shrunk(x)),
    "median": (median(x, y, z), median(y, z, x)),
    "maximum in minima": (largest(x, smallest(y, z)), smallest(largest(x, y), largest(x, z))),
    "size of a product": (size(x * y), size(x) * size(y)),
    "sign of a product": (sign(x * y), sign(x) * sign(y)),
    "sign of a quotient": (sign(x / y) * y * y, sign(x) * sign(y) * y * y),
    "root of a square": (root(x * x), size(x)),
    "root with a square": (root(x * x * exp(y)), size(x) * root(exp(y))),
    "least of exponentials": (smallest(exp(x), exp(y)), exp(smallest(x, y))),
    "exponential of relu": (largest(exp(x), 1), exp(relu(x))),
    "above a half": (truth(compare("lt", Fraction(1, 2), sigmoid(x))), truth(compare("lt", 0, x))),
    "value where it is known": (select(compare("eq", x, 0), exp(x), y), select(compare("eq", x, 0), 1, y)),
    "branches that meet": (where_positive(x, exp(x), exp(-x)), exp(size(x))),
    "sum of clamps": (sum_of(N, lambda k: clamp_by_cases(X[k], 0, 6)), sum_of(N, lambda k: smallest(relu(X[k]), 6))),
    "sum of maxima": (
        sum_of(N, lambda k: largest(largest(X[k], Y[k]), Z[k])),
        sum_of(N, lambda k: largest(X[k], largest(Y[k], Z[k]))),
    ),
    "weighted sum": (
        sum_of(N, lambda k: where_positive(X[k], X[k], exp(X[k]) - 1) * Y[k]),
        sum_of(N, lambda k: (relu(X[k]) - relu(1 - exp(X[k]))) * Y[k]),
    ),
    "relu of a maximum": (over("max", lambda k: relu(X[k])), relu(over("max", X.__getitem__))),
    "clamp of a minimum": (over("min", lambda k: smallest(X[k], y)), smallest(over("min", X.__getitem__), y)),
    "bound of a maximum": (over("max", lambda k: smallest(X[k], y)), smallest(over("max", X.__getitem__), y)),
    "largest size": (
        over("max", lambda k: size(X[k])),
        largest(over("max", X.__getitem__), -over("min", X.__getitem__)),
    ),
    "maximum with a factor": (over("max", lambda k: 2 * X[k]), 2 * over("max", X.__getitem__)),
    "minimum with a factor": (over("max", lambda k: -2 * X[k]), -2 * over("min", X.__getitem__)),
    "running products": (up_to(X.__getitem__), one_by_one(X.__getitem__)),
    "running products of products": (up_to(lambda k: X[k] * Y[k]), up_to(X.__getitem__) * up_to(Y.__getitem__)),
    "running products of quotients": (up_to(lambda k: 1 / X[k]), 1 / up_to(X.__getitem__)),
    "running products of relu": (up_to(lambda k: relu(X[k])), up_to(lambda k: where_positive(X[k], X[k], 0))),
    "product with a factor": (over("product", lambda k: 2 * X[k]), 32 * over("product", X.__getitem__)),
    "product of one number": (over("product", lambda k: y), y * y * y * y * y),
    "product in reverse": (over("product", X.__getitem__), over("product", lambda k: X[N - 1 - k])),
}

APART: Final[dict[str, Pair]] = {
    "relu from one": (relu(x), x * truth(compare("lt", 1, x))),
    "clamp with another bound": (smallest(largest(x, -1), 2), clamp_by_cases(x, -2, 2)),
    "elu with another constant": (where_positive(x, x, exp(x) - 1), relu(x) - relu(2 - exp(x))),
    "softplus of the size": (log(1 + exp(x)), relu(x) + log(1 + exp(size(x)))),
    "sum of sizes": (sum_of(N, lambda k: size(X[k])), size(sum_of(N, X.__getitem__))),
    "median of other operands": (median(x, y, z), largest(smallest(x, y), largest(largest(x, y), z))),
    "sign of zero": (sign(x * y), select(compare("lt", 0, x * y), 1, -1)),
    "square of a sign": (sign(x) * sign(x), x / x),
    "root of a square without its size": (root(x * x), x),
    "root of a cube": (root(x * x * x), x * root(-x)),
    "exponential with another bound": (largest(exp(x), 2), exp(relu(x))),
    "value of another number": (select(compare("eq", x, 1), exp(x), y), select(compare("eq", x, 1), 1, y)),
    "bound by each": (
        over("max", lambda k: smallest(X[k], Y[k])),
        smallest(over("max", X.__getitem__), over("max", Y.__getitem__)),
    ),
    "size of a maximum": (over("max", lambda k: size(X[k])), size(over("max", X.__getitem__))),
    "running products before each": (up_to(X.__getitem__), up_to(X.__getitem__, -1)),
    "running products, one late": (up_to(X.__getitem__), one_by_one(X.__getitem__, -1)),
    "running products of roots": (up_to(lambda k: root(X[k])), root(up_to(X.__getitem__))),
    "product with a factor once": (over("product", lambda k: 2 * X[k]), 2 * over("product", X.__getitem__)),
}


def proved(pair: Sequence[Scalar]) -> Proof | Gap:
    return prove_equal((PLACE,), pair[0], pair[1], LeafFacts())


@pytest.mark.parametrize("name", SAME)
def test_equal_in_each_case(name: str) -> None:
    found = proved(SAME[name])
    assert isinstance(found, Proof), found.text
    kinds = {a.kind for a in found.assumptions}
    assert kinds <= {"finite elements", "nonzero divisor"}
    assert ("nonzero divisor" in kinds) == ("quotient" in name)


@pytest.mark.parametrize("name", APART)
def test_a_wrong_twin_is_not_proved(name: str) -> None:
    assert isinstance(proved(APART[name]), Gap)


def test_a_root_with_a_factor_of_unknown_sign_is_an_assumption() -> None:
    """Where x is 0 and y negative, one side is 0 and the other one no number."""
    found = proved((root(x * x * y), size(x) * root(y)))
    assert isinstance(found, Proof)
    assert "nonnegative under a root: y[i0]" in map(str, found.assumptions)


def test_a_quotient_is_not_read_where_its_divisor_is_zero() -> None:
    """`[x == 0] * y / x` has no value there, and is not `y / 0` that could be put in its place."""
    assert isinstance(proved((select(compare("eq", x, 0), y / x, z), z)), Gap)
