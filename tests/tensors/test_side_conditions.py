"""Side conditions of proofs over the reals: what is assumed is counted, and infinities are never simplified away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFact, LeafFacts
from hecv.tensors.algebra.verdicts import Gap, Proof
from hecv.tensors.comprehension import Scalar, apply, leaf, max_of, position, real, scalar, select, sum_of
from hecv.tensors.index_terms import Index, fresh

N = 6
R, C = fresh(N), fresh(N)
X, Y, S = leaf("x", (N,)), leaf("y", (N,)), leaf("s", (N, N))
INF = float("inf")
x, y = X[R], Y[R]


def proved(left: Scalar | float, right: Scalar | float) -> Proof | Gap:
    facts = LeafFacts({"x": LeafFact(finite=True), "y": LeafFact(finite=True), "s": LeafFact(finite=True)})
    return prove_equal((R, C), scalar(left), scalar(right), facts)


def masked(i: Index, j: Index, off: int = 0) -> Scalar:
    return select(j <= i + off, S[i, j], -INF)


def softmax(term: Callable[[Index], Scalar], j: Index, top: bool) -> Scalar:
    most = max_of(N, term) if top else scalar(0)
    return apply("exp", term(j) - most) / sum_of(N, lambda k: apply("exp", term(k) - most))


@pytest.mark.parametrize(
    ("left", "right", "assumed"),
    [
        (x / x, 1, {"nonzero divisor: x[i0]": 1}),
        (x * y / y, x, {"nonzero divisor: y[i0]": 1}),
        (1 / (x / y), y / x, {"nonzero divisor: x[i0]": 2, "nonzero divisor: y[i0]": 2}),
        (apply("sqrt", x) * apply("sqrt", x), x, {"nonnegative under a root: x[i0]": 1}),
        (apply("exp", apply("log", x)), x, {"positive argument of log: x[i0]": 1}),
        (apply("log", apply("exp", x)), x, {}),
        (1 / (1 + apply("exp", x)) * (1 + apply("exp", x)), 1, {}),
        (apply("sqrt", 1 + x * x) * apply("sqrt", 1 + x * x), 1 + x * x, {}),
        (apply("exp", masked(R, C)), select(C <= R, apply("exp", S[R, C]), 0), {"exp(-inf) = 0": 1}),
        (
            softmax(lambda k: masked(R, k), C, True),
            softmax(lambda k: masked(R, k), C, False),
            {"exp(-inf) = 0": 4},
        ),
    ],
)
def test_assumptions_are_counted(left: Scalar, right: Scalar, assumed: dict[str, int]) -> None:
    found = proved(left, right)
    assert isinstance(found, Proof)
    assert {str(a): a.count for a in found.assumptions}.keys() == assumed.keys()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (masked(R, C) * 0, 0),
        (masked(R, C) * X[R], select(C <= R, S[R, C] * X[R], 0)),
        (masked(R, C) - masked(R, C) * 1, 0),
        (masked(R, C) + select(C <= R, 0, INF), S[R, C]),
        (softmax(lambda k: masked(R, k, -1), C, True), softmax(lambda k: masked(R, k, -1), C, False)),
        (max_of(N, lambda k: masked(R, k, -1)) - max_of(N, lambda k: masked(R, k, -1)) * 1, 0),
        (x / (y - y * 1), 0),
        (apply("cos", masked(R, C)), apply("cos", masked(R, C) + 0)),
    ],
)
def test_what_may_be_undefined_is_not_proved(left: Scalar, right: Scalar) -> None:
    found = proved(left, right)
    assert isinstance(found, Gap) and found.undefined and not found.refuted, found


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (apply("sqrt", x * x), x),
        (apply("pow", x * x, 0.5) * x, x * x),
        (apply("sign", x), x / apply("sqrt", x * x) + apply("exp", x)),
        (apply("max", x, y), apply("max", x, y * 2)),
        (apply("max", x, y), x + y - apply("max", x, y)),
        (select(C <= R, x, y), select(C < R, x, y)),
        (apply("round", real(R) / 2), real(R // 2)),
        (sum_of(N, lambda k: select(k <= R, 1, 0)), real(R)),
        (max_of(N, lambda k: X[k]), max_of(N - 1, lambda k: X[k])),
    ],
)
def test_what_is_not_so_is_not_proved(left: Scalar, right: Scalar) -> None:
    found = proved(left, right)
    assert isinstance(found, Gap), found


def test_a_large_negative_literal_is_infinite_by_assumption() -> None:
    finite = select(C <= R, S[R, C], -1e30)
    found = proved(apply("exp", finite), apply("exp", masked(R, C)))
    assert isinstance(found, Proof)
    assert [str(a) for a in found.assumptions] == ["exp(-inf) = 0", "large negative = -inf: -1e+30"]
    assert isinstance(proved(select(C <= R, S[R, C], -1e3), masked(R, C)), Gap)


def test_selections_guard_what_is_undefined() -> None:
    guarded = select(C <= R, apply("exp", masked(R, C) * 2), 0)
    assert isinstance(proved(guarded, select(C <= R, apply("exp", S[R, C] * 2), 0)), Proof)
    row = softmax(lambda k: masked(R, k, -1), C, True)
    kept = select(R >= 1, row, 0)
    other = select(R >= 1, softmax(lambda k: masked(R, k, -1), C, False), 0)
    assert isinstance(proved(kept, other), Proof)


def test_an_id_without_a_range_leaves_a_guard() -> None:
    ids, table = leaf("ids", (N,)), leaf("table", (4, N))
    looked = table[position(ids[R]), C]
    one_hot = sum_of(4, lambda v: select(position(ids[R]).equals(v), table[v, C], 0))
    assert isinstance(prove_equal((R, C), looked, one_hot, LeafFacts({"ids": LeafFact(integers=(0, 3))})), Proof)
    found = prove_equal((R, C), looked, one_hot, LeafFacts({"ids": LeafFact(integers=(0, 4))}))
    assert isinstance(found, Gap) and "0 <= ids[i0] <= 3" in found.text


def test_a_definition_holds_within_its_sizes() -> None:
    t = leaf("t", (4,))
    indices = (fresh(4),)
    facts = LeafFacts({"t": LeafFact(equals=(indices, real(indices[0]) * 2), because="t is 2 i", finite=True)})
    inside = select(R < 4, t[R], 0)
    assert isinstance(prove_equal((R, C), inside, select(R < 4, real(R) * 2, 0), facts), Proof)
    found = prove_equal((R, C), t[R], real(R) * 2, facts)
    assert isinstance(found, Gap)


def test_a_gap_shows_the_monomials_that_differ() -> None:
    found = proved(sum_of(N, lambda k: S[R, k] * X[k]) + x * 2, sum_of(N, lambda k: S[R, k] * X[k]) + x * 3)
    assert isinstance(found, Gap) and found.refuted
    assert found.text == "left alone: 2 * x[i0]\nright alone: 3 * x[i0]"
