"""The layer over egglog."""

from __future__ import annotations

import os
import signal
import time

import pytest

from hecv.egraph.session import Contradiction, EngineFailure, Limits, Node, Session, pattern


def session_with_commutativity() -> tuple[Session, int]:
    session = Session()
    session.prepare([0, 1, 2])
    add = session.symbol("add")
    session.ruleset("laws")
    session.rule("laws", "add-commutes", [f"(= e {pattern(add, 'a', 'b')})"], [f"(union e {pattern(add, 'b', 'a')})"])
    return session, add


def test_a_rule_makes_two_nodes_equal_and_is_counted() -> None:
    session, add = session_with_commutativity()
    with session.goal() as goal:
        a, b = goal.add([Node(session.symbol("x")), Node(session.symbol("y"))])
        left, right = goal.add([Node(add, (a, b)), Node(add, (b, a))])
        assert not goal.equal(left, right)
        run = goal.run("laws", Limits(), until=[(left, right)])
        assert run.stop_reason == "proved"
        assert run.matches["add-commutes"] >= 1
        assert goal.equal(left, right)
        assert not goal.equal(a, b)


def test_a_goal_leaves_nothing_behind_and_rules_stay() -> None:
    session, add = session_with_commutativity()
    for _ in range(3):
        with session.goal() as goal:
            assert goal.node_count() == 0
            a, b = goal.add([Node(session.symbol("x")), Node(session.symbol("y"))])
            left, right = goal.add([Node(add, (a, b)), Node(add, (b, a))])
            assert goal.run("laws", Limits(), until=[(left, right)]).stop_reason == "proved"


def test_congruence_and_given_equalities() -> None:
    session = Session()
    session.prepare([0, 1])
    f = session.symbol("f")
    with session.goal() as goal:
        a, b = goal.add([Node(session.symbol("a")), Node(session.symbol("b"))])
        fa, fb = goal.add([Node(f, (a,)), Node(f, (b,))])
        ffa, ffb = goal.add([Node(f, (fa,)), Node(f, (fb,))])
        assert not goal.equal(ffa, ffb)
        goal.equate([(a, b)])
        assert goal.equal(ffa, ffb)


def test_operands_may_follow_their_users_and_depth_is_no_limit() -> None:
    session = Session()
    session.prepare([0, 1])
    f, leaf = session.symbol("f"), session.symbol("leaf")
    depth = 20_000
    with session.goal() as goal:
        first = goal.add([*[Node(f, (k + 1,)) for k in range(depth)], Node(leaf)])
        start = goal.next_id
        second = goal.add([*[Node(f, (start + k + 1,)) for k in range(depth)], Node(leaf)])
        assert goal.equal(first[0], second[0])
        assert not goal.equal(first[0], first[1])


def test_classes_read_back() -> None:
    session, add = session_with_commutativity()
    with session.goal() as goal:
        a, b = goal.add([Node(session.symbol("x")), Node(session.symbol("y"))])
        (both,) = goal.add([Node(add, (a, b))])
        assert goal.run("laws", Limits()).stop_reason == "saturated"
        classes = goal.classes()
        x, y, root = classes.of[a], classes.of[b], classes.of[both]
        assert sorted(classes.nodes[root], key=lambda n: n.args) == sorted(
            [Node(add, (x, y)), Node(add, (y, x))], key=lambda n: n.args
        )
        assert [session.key(n.symbol) for n in classes.nodes[x]] == ["x"]
        assert goal.node_count() == 4 and goal.counts() == (3, 4)


def growing() -> tuple[Session, int, int]:
    """A session in which one rule never saturates: `f(x) = f(g(x))`."""
    session = Session()
    session.prepare([0, 1])
    f, g = session.symbol("f"), session.symbol("g")
    session.ruleset("laws")
    head = pattern(f, pattern(g, "x"))
    session.rule("laws", "grows", [f"(= e {pattern(f, 'x')})"], [f"(union e {head})"])
    return session, f, session.symbol("leaf")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(iterations=5), "iteration-limit"),
        (Limits(iterations=10_000, nodes=50), "node-limit"),
        (Limits(iterations=10_000, deadline=0.0), "time-limit"),
    ],
)
def test_limits(limits: Limits, reason: str) -> None:
    session, f, leaf = growing()
    with session.goal() as goal:
        (x,) = goal.add([Node(leaf)])
        goal.add([Node(f, (x,))])
        before = time.monotonic()
        assert goal.run("laws", limits).stop_reason == reason
        assert goal.node_count() <= 60
        assert time.monotonic() - before < 10


def test_two_distinct_symbols_in_one_class_are_a_contradiction() -> None:
    session = Session()
    session.prepare([0])
    session.relation("literal", ("i64",))
    session.distinct("literal")
    five, six, leaf = session.symbol(5), session.symbol(6), session.symbol("leaf")
    with session.goal() as goal:
        goal.insert("literal", [(five,), (six,)])
        a, b, c = goal.add([Node(five), Node(six), Node(leaf)])
        goal.equate([(a, c)])
        goal.check()
        goal.equate([(b, c)])
        with pytest.raises(Contradiction):
            goal.check()


def test_a_panic_of_the_engine_is_a_failure_and_no_base_exception() -> None:
    session = Session()
    with pytest.raises(EngineFailure), session.goal() as goal:
        goal.step("no-such-ruleset")


def test_relations_hold_rows_and_rules_fill_them() -> None:
    session, add = session_with_commutativity()
    session.relation("fact", ("i64", "E"))
    session.relation("seen", ("i64",))
    session.rule("laws", "sees", ["(fact k e)", f"(= e {pattern(add, 'a', 'b')})"], ["(seen k)"])
    with session.goal() as goal:
        a, b = goal.add([Node(session.symbol("x")), Node(session.symbol("y"))])
        (both,) = goal.add([Node(add, (a, b))])
        goal.insert("fact", [(7, both), (8, a)])
        goal.step("laws")
        assert goal.rows("seen") == [(7,)]


def test_nothing_is_declared_while_a_goal_is_open() -> None:
    session, _ = session_with_commutativity()
    with session.goal(), pytest.raises(ValueError, match="while a goal is open"):
        session.ruleset("late")


def test_a_node_of_an_arity_that_was_not_prepared_is_refused() -> None:
    session = Session()
    session.prepare([0])
    with session.goal() as goal, pytest.raises(ValueError, match="not prepared"):
        goal.add([Node(0, (1, 2, 3))])


def test_a_child_forked_after_a_use_fails_and_does_not_hang() -> None:
    session, _ = session_with_commutativity()
    with session.goal() as goal:
        goal.step("laws")
    child = os.fork()
    if child == 0:
        try:
            Session()
        except EngineFailure:
            os._exit(7)
        os._exit(0)
    deadline = time.monotonic() + 20
    pid, status = os.waitpid(child, os.WNOHANG)
    while pid == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
        pid, status = os.waitpid(child, os.WNOHANG)
    if pid == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert pid and os.waitstatus_to_exitcode(status) == 7
