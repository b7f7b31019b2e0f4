"""The judge against evaluation: what it proves holds for all values, what it refutes fails at the values it names."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

import pytest

from hecv.base.types import FloatType, IntType
from hecv.laws.audit.equation_evidence import Judge
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import (
    BIT,
    Equation,
    Kind,
    Number,
    Operation,
    Pattern,
    Scalar,
    Variable,
    at_literals,
    variables,
)
from hecv.patterns.equations.law_record import Instance, Law, Single

FOLDER = Folder()
JUDGE = Judge()
BINARY = ("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "divui", "remsi", "minsi", "maxui")


def instance(equation: Equation) -> Instance:
    law = Law("some-law", "any", Single(equation), "rules.py:1")
    return Instance(law, tuple({v.kind for v in variables(equation.left).values()}), equation)


def random_side(rng: random.Random, kind: Kind, size: int) -> Pattern:
    if not size:
        leaf = rng.randrange(4)
        return Number(kind, rng.randrange(1 << kind.width)) if leaf == 3 else Variable(kind, "xyz"[leaf])
    parts = [random_side(rng, kind, rng.randrange(size)) for _ in range(2)]
    if rng.random() < 0.2:
        predicate = (("predicate", rng.choice(("slt", "ule", "eq"))),)
        condition = Operation(BIT, "arith.cmpi", (parts[0], parts[1]), predicate)
        return Operation(kind, "arith.select", (condition, parts[1], parts[0]))
    return Operation(kind, f"arith.{rng.choice(BINARY)}", (parts[0], parts[1]))


def values(side: Pattern, names: list[str], kind: Kind) -> list[object]:
    every = product(range(1 << kind.width), repeat=len(names))
    return [FOLDER.evaluate(side, dict(zip(names, chosen, strict=True))) for chosen in every]


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_evaluation(seed: int) -> None:
    rng = random.Random(seed)
    kind = Kind(IntType(width := rng.choice((1, 2))), width)
    for _ in range(3):
        left = random_side(rng, kind, 2)
        if not isinstance(left, Operation):
            continue
        for right in (
            random_side(rng, kind, 1),
            Operation(kind, left.op, left.args[::-1]) if left.op != "arith.select" else left,
        ):
            names = sorted(variables(left))
            if not variables(right).keys() <= set(names):
                continue
            found = JUDGE.judge(instance(Equation(left, right)))
            same = values(left, names, kind) == values(right, names, kind)
            assert (found.status == "proved") == same, (left, right, found)
            assert same or found.status in ("failed", "refines")
            if found.status == "failed":
                assert found.model is not None
                at = {name: int(found.model[name]) for name in names}
                assert FOLDER.evaluate(left, at) != FOLDER.evaluate(right, at)


def test_literals() -> None:
    """The equation for given literals is that of the law with these in the place of variables."""
    kind = Kind(IntType(8), 8)
    x, c, k = Variable(kind, "x"), Variable(kind, "c", literal=True), Variable(kind, "k", literal=True)
    times = Operation(kind, "arith.muli", (x, c))
    shifted = Operation(kind, "arith.shli", (x, k))
    powers = {1 << n: n for n in range(8)}
    equation = Equation(
        times, shifted, computed=lambda given: {"k": powers[int(given["c"])]} if given["c"] in powers else None
    )
    special = at_literals(equation, {"c": 64})
    assert special == Equation(
        Operation(kind, "arith.muli", (x, Number(kind, 64))), Operation(kind, "arith.shli", (x, Number(kind, 6)))
    )
    assert at_literals(equation, {"c": 65}) is None
    assert {j.status for j in JUDGE.samples(instance(equation))} == {"proved"}
    assert JUDGE.judge_at(instance(equation), {"c": 3}).status == "inapplicable"


def test_literals_that_a_condition_by_operators_excludes() -> None:
    """A law whose guards are of both kinds was said to be false, for an amount that is not below the width."""
    kind = Kind(IntType(8), 8)
    x = Variable(kind, "x")
    c, k, by, amount = (Variable(kind, name, literal=True) for name in ("c", "k", "by", "amount"))
    left = Operation(kind, "arith.muli", (Operation(kind, "arith.shrui", (x, k)), c))
    right = Operation(kind, "arith.shli", (Operation(kind, "arith.divui", (x, by)), amount))
    where = Operation(BIT, "arith.cmpi", (k, Number(kind, 8)), (("predicate", "ult"),))
    powers = {1 << n: n for n in range(8)}

    def computed(given: Mapping[str, Scalar]) -> Mapping[str, Scalar] | None:
        known = powers.get(int(given["c"]))
        return None if known is None else {"by": (1 << int(given["k"])) % 256, "amount": known}

    law = instance(Equation(left, right, where, computed=computed))
    assert {j.status for j in JUDGE.samples(law)} == {"proved"}
    assert JUDGE.judge_at(law, {"c": 8, "k": 3}).status == "proved"
    assert JUDGE.judge_at(law, {"c": 8, "k": 8}).status == "inapplicable"


def test_what_the_library_contradicts_is_open_and_has_the_values() -> None:
    """It was said that nothing is known of it."""
    kind = Kind(FloatType("f32"), 0)
    x = Variable(kind, "x")
    negated = Operation(kind, "math.exp", (Operation(kind, "arith.negf", (x,)),))
    found = JUDGE.judge(instance(Equation(negated, Operation(kind, "math.exp", (x,)))))
    assert found.status == "trusted" and found.model and "x" in found.model
    even = Operation(kind, "math.cos", (Operation(kind, "arith.negf", (x,)),))
    assert JUDGE.judge(instance(Equation(even, Operation(kind, "math.cos", (x,))))).status == "tested"
