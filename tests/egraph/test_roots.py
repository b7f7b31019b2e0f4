"""Laws that make one term of two of its kind end with what a class is made of."""

from __future__ import annotations

import pytest

from hecv.base.types import BOOL, IntType
from hecv.egraph.programs import poison_neutral_laws
from hecv.egraph.programs.operand_bags import symbol_of
from hecv.egraph.programs.program_nodes import TermSymbol
from hecv.egraph.saturation import root_conditions
from hecv.egraph.session import MATCHES, Goal, Limits, Node, Session, pattern
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations.equations import Operation, kind_of
from hecv.patterns.equations.law_record import Instance

KINDS = tuple(kind_of(t, 64) for t in (BOOL, IntType(8)))
MULTIPLYING = {i.name: i for law in LAWS for i in law.instances(KINDS) if isinstance(i.equation.left, Operation)}
MULTIPLYING = {n: i for n, i in MULTIPLYING.items() if root_conditions.multiplies(i.equation.left, i.equation.right)}


def found(name: str) -> Instance:
    return next(i for n, i in MULTIPLYING.items() if n.startswith(name + "@"))


def orders(session: Session, goal: Goal, count: int) -> tuple[list[int], Operation]:
    """Whether each of so many values is at least 0, and the conjunction of two such."""
    left = found("cmpi-neither-negative").equation.left
    assert isinstance(left, Operation) and isinstance(left.args[0], Operation)
    order, i8 = symbol_of(left.args[0]), IntType(8)
    zero, *values = goal.add(
        [
            Node(session.symbol(TermSymbol("const", (("value", 0),), i8, ()))),
            *[Node(session.symbol(("leaf", k))) for k in range(count)],
        ]
    )
    return goal.add([Node(session.symbol(order), (x, zero)) for x in values]), left


def declared(session: Session) -> None:
    session.prepare([0, 1, 2])
    session.ruleset("laws")
    session.ruleset("expanding")
    law = found("cmpi-neither-negative")
    poison_neutral_laws._declare(session, law.law, law)


def test_there_are_such_laws() -> None:
    names = {name.split("@")[0] for name in MULTIPLYING}
    assert {"cmpi-neither-negative", "cmpi-both-negative", "cmpi-either-negative", "andi-distributes-back"} <= names
    assert not {"addi-associates", "andi-commutes", "andi-associates", "xori-associates"} & names


def test_a_class_that_is_its_own_conjunction_does_not_multiply() -> None:
    session = Session()
    declared(session)
    with session.goal() as goal:
        tests, left = orders(session, goal, 6)
        goal.equate([(tests[0], t) for t in tests[1:]])
        (both,) = goal.add([Node(session.symbol(symbol_of(left)), (tests[0], tests[1]))])
        goal.equate([(both, tests[0])])
        before = goal.node_count()
        run = goal.run("laws", Limits(iterations=4))
        assert run.stop_reason == "saturated" and goal.node_count() == before


def test_a_conjunction_of_others_is_one_order() -> None:
    session = Session()
    declared(session)
    with session.goal() as goal:
        (first, second), left = orders(session, goal, 2)
        (both,) = goal.add([Node(session.symbol(symbol_of(left)), (first, second))])
        before = goal.node_count()
        goal.run("laws", Limits(iterations=1))
        assert goal.node_count() > before and not goal.equal(both, first)


@pytest.mark.parametrize(("leaves", "reason"), [(20, "iteration-limit"), (900, "node-limit")])
def test_an_iteration_of_too_many_matches_is_the_last(leaves: int, reason: str) -> None:
    session = Session()
    session.prepare([0, 1, 2])
    f, g = session.symbol("f"), session.symbol("g")
    session.ruleset("pairs")
    session.rule("pairs", "pairs", [f"(= a {pattern(f, 'x')})", f"(= b {pattern(f, 'y')})"], [pattern(g, "x", "y")])
    with session.goal() as goal:
        made = goal.add([Node(session.symbol(("leaf", k))) for k in range(leaves)])
        goal.add([Node(f, (x,)) for x in made])
        run = goal.run("pairs", Limits(iterations=1, nodes=10**9))
        assert run.stop_reason == reason and (leaves**2 > MATCHES) == (reason == "node-limit")
