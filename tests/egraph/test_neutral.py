"""The laws that are used inside programs keep poison and undefined behaviour, by Z3."""

from __future__ import annotations

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.egraph.programs.poison_neutral_laws import neutral
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations import equations
from hecv.patterns.equations.equations import Equation, Number, Operation, Pattern, kind_of
from hecv.smt.term_encoding import Encoder
from hecv.smt.z3_goals import Proved, decide

KINDS = tuple(kind_of(t, 64) for t in (BOOL, IntType(8), INDEX, FloatType("f32")))


def term_of(pool: TermPool, pattern: Pattern, leaves: dict[str, Term]) -> Term:
    """The pattern as a term, its holes as leaves that may be poison."""
    match pattern:
        case equations.Variable(kind=kind, name=name):
            leaf = pool.make("leaf", (), kind.type, (("number", len(leaves)),))
            return leaves.setdefault(name, leaf)
        case Number(kind=kind, value=value):
            return pool.make("const", (), kind.type, (("value", value),))
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            return pool.make(op, tuple(term_of(pool, a, leaves) for a in args), kind.type, attrs)
        case _:
            raise AssertionError(pattern)


def keeps_poison_and_traps(equation: Equation) -> bool:
    """Whether Z3 shows that both sides are poison, and undefined, for the same operands."""
    pool, leaves = TermPool(), dict[str, Term]()
    encoder = Encoder(64)
    left, right = encoder.terms(tuple(term_of(pool, side, leaves) for side in (equation.left, equation.right)))
    return decide(left.poison == right.poison) == Proved() and decide(left.ub == right.ub) == Proved()


USED = [i for law in LAWS for i in law.instances(KINDS) if neutral(i.equation)]


def test_there_are_such_laws() -> None:
    names = {i.law.name for i in USED}
    assert {"andi-commutes", "andi-de-morgan", "addf-commutes", "xori-commutes"} <= names and len(names) >= 30
    assert not {"andi-zero", "divui-one", "muli-zero"} & names


@pytest.mark.parametrize("name", sorted({i.law.name for i in USED}))
def test_poison_and_traps_are_kept(name: str) -> None:
    for instance in USED:
        if instance.law.name == name:
            assert keeps_poison_and_traps(instance.equation), instance.name


def test_what_loses_poison_is_not_neutral() -> None:
    """`x & 0 = 0` where `x` is poison."""
    lost = [i for law in LAWS for i in law.instances(KINDS) if law.name == "andi-zero"]
    assert lost
    for instance in lost:
        assert not neutral(instance.equation) and not keeps_poison_and_traps(instance.equation)
