"""Random comprehensions: what is proved equal has equal values, also of pairs that were made different on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np
import pytest

from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFact, LeafFacts
from hecv.tensors.algebra.verdicts import Limits, Proof
from hecv.tensors.comprehension import (
    Apply,
    Read,
    Real,
    RealLiteral,
    Reduce,
    Scalar,
    Select,
    apply,
    compare,
    position,
    real,
    reduce_over,
    scalar,
    select,
)
from hecv.tensors.index_terms import (
    All,
    AtLeastZero,
    Condition,
    Index,
    Not,
    Variable,
    at_least_zero,
    both,
    either,
    fresh,
    index,
    negate,
)
from hecv.tensors.substitution import substitute
from hecv.tensors.term_values import evaluate

FACTS: Final = LeafFacts({"ids": LeafFact(integers=(0, 5)), "bit": LeafFact(boolean=True)})
LIMITS: Final = Limits(monomials=3000, seconds=0.5)
SEEDS: Final = 160
INFINITY: Final = float("inf")


class Writer:
    """Random terms over index variables below 6, on leaves with six elements a dimension."""

    def __init__(self, random_numbers: random.Random) -> None:
        self.random = random_numbers

    def index(self, scope: list[Index]) -> Index:
        """An index below 6, if its guards hold; out of range elements are NaN on both sides."""
        one, other = self.random.choice(scope), self.random.choice(scope)
        digits = (one // 2) * 2 + other % 2
        read = position(Read("ids", (one,)))
        return self.random.choice(
            [one, one, one, 5 - one, one // 2, one % 2, digits, one // 2 + other // 2, index(2), read]
        )

    def condition(self, scope: list[Index], depth: int) -> Condition:
        one, other = self.random.choice(scope), self.random.choice(scope)
        kind = self.random.randrange(8)
        if kind < 3:
            return at_least_zero(one - other + self.random.randint(-1, 1))
        if kind == 3:
            return one.equals(other // 2)
        if kind == 4:
            return one < self.random.randint(1, 5)
        if kind == 5 and depth:
            join = both if self.random.random() < 0.5 else either
            return join(self.condition(scope, depth - 1), self.condition(scope, depth - 1))
        if kind == 6 and depth:
            relation: Callable[..., Condition] = compare
            name = self.random.choice(["lt", "le", "eq"])
            return relation(name, self.term(scope, depth - 1), self.random.choice([0, 1]))
        return compare("eq", Read("bit", (one, other)), self.random.randrange(2))

    def term(self, scope: list[Index], depth: int) -> Scalar:
        kind = self.random.randrange(14) if depth else self.random.randrange(4)
        if kind < 2:
            return Read(self.random.choice("ab"), (self.index(scope),))
        if kind == 2:
            return Read("m", (self.index(scope), self.index(scope)))
        if kind == 3:
            return self.random.choice([scalar(self.random.randint(-2, 3)), real(self.random.choice(scope))])
        if kind < 6:
            return self.term(scope, depth - 1) + self.term(scope, depth - 1)
        if kind < 8:
            return self.term(scope, depth - 1) * self.term(scope, depth - 1)
        if kind == 8:
            return select(self.condition(scope, depth - 1), self.term(scope, depth - 1), self.term(scope, depth - 1))
        if kind == 9:
            name = self.random.choice(["exp", "abs", "tanh", "cos", "reciprocal", "sqrt"])
            return apply(name, self.term(scope, depth - 1))
        if kind == 10:
            return apply(self.random.choice(["max", "min"]), self.term(scope, depth - 1), self.term(scope, depth - 1))
        if kind == 12:
            masked = select(self.condition(scope, depth - 1), self.term(scope, depth - 1), -INFINITY)
            return apply("exp", masked + self.term(scope, depth - 1))
        if kind == 13:
            top = reduce_over("max", [6], lambda k: self.term([*scope, k], depth - 1))
            return apply("exp", self.term(scope, depth - 1) - top)
        name = self.random.choice(["sum", "sum", "sum", "max"])
        extents = self.random.choice([[6], [2], [3], [2, 3]])
        return reduce_over(name, extents, lambda *new: self.term([*scope, *new], depth - 1))


class Changer:
    """Copies of terms, changed at random: laws that hold (`keep`), or one place that differs (`spoil`)."""

    def __init__(self, random_numbers: random.Random, chance: float, spoil: bool) -> None:
        self.random = random_numbers
        self.chance = chance
        self.spoil = spoil

    def scalar(self, term: Scalar) -> Scalar:
        match term:
            case Apply(operands=operands):
                term = Apply(term.function, tuple(map(self.scalar, operands)))
            case Reduce():
                term = Reduce(term.kind, term.variables, self.scalar(term.body))
            case Select():
                term = select(self.condition(term.condition), self.scalar(term.yes), self.scalar(term.no))
            case _:
                pass
        if self.random.random() > self.chance:
            return term
        return self._spoilt(term) if self.spoil else self._kept(term)

    def condition(self, condition: Condition) -> Condition:
        match condition:
            case Not():
                return negate(self.condition(condition.condition))
            case All():
                return both(*map(self.condition, condition.conditions))
            case AtLeastZero() if self.spoil and self.random.random() < self.chance:
                return at_least_zero(condition.index + self.random.choice([-1, 1]))
            case _:
                return condition

    def _kept(self, term: Scalar) -> Scalar:
        match term:
            case Apply(function=("add" | "mul") as name, operands=(x, y)):
                match x, y:
                    case x, Apply(function="add", operands=(p, q)) if name == "mul":
                        return x * p + x * q
                    case Apply(operands=(p, q)), y if x.function == name:
                        return Apply(name, (p, Apply(name, (q, y))))
                    case _:
                        return Apply(name, (y, x))
            case Apply(function="exp", operands=(Apply(function="add", operands=(p, q)),)):
                return apply("exp", p) * apply("exp", q)
            case Apply(function="max", operands=(x, y)):
                return select(compare("lt", x, y), y, x)
            case Apply(function="tanh", operands=(x,)):
                return 2 / (1 + apply("exp", x * -2)) - 1
            case Apply(function="abs", operands=(x,)):
                return apply("max", x, -x)
            case Select():
                return select(negate(term.condition), term.no, term.yes)
            case Reduce(kind="sum", variables=(v,)) if v.extent == 6:
                return self._reindexed(v, term.body)
            case RealLiteral():
                return term
            case _:
                return term + term - term

    def _reindexed(self, v: Variable, body: Scalar) -> Scalar:
        def at(i: Index) -> Scalar:
            return substitute(body, {v: i})

        way = self.random.randrange(4)
        if way == 0:
            return reduce_over("sum", [6], lambda k: at(5 - k))
        if way == 1:
            return reduce_over("sum", [3, 2], lambda h, r: at(h * 2 + r))
        if way == 2:
            return reduce_over("sum", [2], at) + reduce_over("sum", [4], lambda k: at(k + 2))
        return reduce_over("sum", [9], lambda k: select(k <= 5, at(k), 0))

    def _spoilt(self, term: Scalar) -> Scalar:
        match term:
            case Read(indices=(first, *rest)):
                return Read(term.tensor, (5 - first, *rest))
            case RealLiteral():
                return scalar(term.value + Fraction(1, 2))
            case Real():
                return term + 1
            case Apply(function="max", operands=operands):
                return Apply("min", operands)
            case Apply(function="exp", operands=(x,)):
                return apply("exp", x * 2)
            case Reduce(kind="sum", variables=(v,)) if v.extent > 2:
                return reduce_over("sum", [v.extent - 1], lambda k: substitute(term.body, {v: k}))
            case Select():
                return select(negate(term.condition), term.yes, term.no)
            case _:
                return term


def arrays(seed: int) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(seed)
    return {
        "a": numbers.uniform(-1.5, 1.5, 6),
        "b": numbers.uniform(0.2, 1.5, 6),
        "m": numbers.uniform(-1.5, 1.5, (6, 6)),
        "ids": numbers.integers(0, 6, 6),
        "bit": numbers.integers(0, 2, (6, 6)),
    }


def apart(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether values that are finite on both sides differ, beyond rounding."""
    finite = np.isfinite(one) & np.isfinite(other) & (np.abs(one) < 1e8) & (np.abs(other) < 1e8)
    one, other = one[finite], other[finite]
    return bool(np.any(np.abs(one - other) > 1e-6 * (1 + np.maximum(np.abs(one), np.abs(other)))))


def trial(seed: int, spoil: bool, depth: int = 3) -> tuple[bool, bool]:
    """Whether a random term and its copy are proved equal, and whether they are."""
    numbers = random.Random(seed)
    indices = (fresh(6), fresh(6))
    left = Writer(numbers).term(list(indices), depth)
    right = Changer(numbers, 0.4, False).scalar(left)
    if spoil:
        right = Changer(numbers, 0.2, True).scalar(right)
    found = prove_equal(indices, left, right, FACTS, LIMITS)
    same = True
    for sample in range(3):
        values = arrays(seed * 3 + sample)
        same = same and not apart(evaluate((indices, left), values), evaluate((indices, right), values))
    if isinstance(found, Proof):
        assert same, f"seed {seed}: proved, but different:\n{left}\n{right}\n{found.assumptions}"
    elif found.refuted:
        assert spoil, f"seed {seed}: refuted, but equal:\n{left}\n{right}"
    return isinstance(found, Proof), same


@pytest.mark.parametrize("seed", range(0, 1000 * SEEDS, 1000))
def test_what_is_proved_has_equal_values(seed: int) -> None:
    trial(seed, spoil=False)


@pytest.mark.parametrize("seed", range(7, 1000 * SEEDS, 1000))
def test_what_differs_is_not_proved(seed: int) -> None:
    trial(seed, spoil=True)
