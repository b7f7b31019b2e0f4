"""What the engine proves, what it must not prove, and how it stops."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from hecv.base.term import Term
from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.egraph.saturation.runner import Answer, Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations.premise_facts import facts_of

from .terms import Terms

ENGINE = TermEngine(LAWS)
Pair = Callable[[Terms], tuple[Term, Term]]


def x(t: Terms) -> Term:
    return t.leaf(0)


def y(t: Terms) -> Term:
    return t.leaf(1)


def z(t: Terms) -> Term:
    return t.leaf(2)


EQUAL: dict[str, Pair] = {
    "same": lambda t: (t.op("addi", x(t), y(t)), t.op("addi", x(t), y(t))),
    "flags-dropped": lambda t: (t.op("addi", x(t), y(t), overflow="nsw"), t.op("addi", x(t), y(t))),
    "de-morgan": lambda t: (
        t.complement(t.op("andi", x(t), y(t))),
        t.op("ori", t.complement(x(t)), t.complement(y(t))),
    ),
    "times-8": lambda t: (t.op("muli", x(t), t.literal(8)), t.op("shli", x(t), t.literal(3))),
    "divided-by-8": lambda t: (t.op("divui", x(t), t.literal(8)), t.op("shrui", x(t), t.literal(3))),
    "remainder-by-8": lambda t: (t.op("remui", x(t), t.literal(8)), t.op("andi", x(t), t.literal(7))),
    "sum-turned": lambda t: (
        t.op("addi", t.op("addi", x(t), y(t)), z(t)),
        t.op("addi", z(t), t.op("addi", y(t), x(t))),
    ),
    "square-of-sum": lambda t: (
        t.op("muli", t.op("addi", x(t), y(t)), t.op("addi", x(t), y(t))),
        t.op(
            "addi",
            t.op("muli", x(t), x(t)),
            t.op("addi", t.op("muli", t.literal(2), t.op("muli", x(t), y(t))), t.op("muli", y(t), y(t))),
        ),
    ),
    "split": lambda t: (
        t.op("ori", t.op("andi", x(t), y(t)), t.op("andi", x(t), t.complement(y(t)))),
        x(t),
    ),
    "complement-plus-one": lambda t: (
        t.op("addi", t.complement(x(t)), t.literal(1)),
        t.op("subi", t.literal(0), x(t)),
    ),
    "minimum": lambda t: (t.op("minsi", x(t), y(t)), t.choose(t.compare("slt", x(t), y(t)), x(t), y(t))),
    "minimum-otherwise": lambda t: (t.op("minsi", x(t), y(t)), t.choose(t.compare("sge", x(t), y(t)), y(t), x(t))),
    "maximum-unsigned": lambda t: (t.op("maxui", y(t), x(t)), t.choose(t.compare("ule", x(t), y(t)), y(t), x(t))),
    "maxima-nested": lambda t: (
        t.op("maxsi", t.op("maxsi", x(t), y(t)), t.op("maxsi", x(t), z(t))),
        t.op("maxsi", z(t), t.op("maxsi", y(t), x(t))),
    ),
    "constants": lambda t: (
        t.op("addi", t.op("addi", x(t), t.literal(5)), t.op("divui", t.literal(100), t.literal(7))),
        t.op("addi", x(t), t.literal(19)),
    ),
    "shifts": lambda t: (
        t.op("shrui", t.op("shrui", x(t), t.literal(3)), t.literal(4)),
        t.op("shrui", x(t), t.literal(7)),
    ),
    "shifted-out": lambda t: (t.op("shrui", t.op("shrui", x(t), t.literal(20)), t.literal(20)), t.literal(0)),
    "comparison-negated": lambda t: (
        t.op("xori", t.compare("slt", x(t), y(t)), t.literal(1, BOOL)),
        t.compare("sle", y(t), x(t)),
    ),
    "branches-same": lambda t: (t.choose(t.compare("eq", x(t), y(t)), x(t), y(t)), y(t)),
    "choice-of-bits": lambda t: (
        t.choose(t.compare("eq", x(t), y(t)), t.literal(0, BOOL), t.literal(1, BOOL)),
        t.compare("ne", y(t), x(t)),
    ),
    "truncated-extension": lambda t: (
        t.op("trunci", t.op("extsi", x(t), to=IntType(64)), to=IntType(32)),
        x(t),
    ),
    "inside-a-sum": lambda t: (
        t.op("addi", t.op("addi", z(t), t.op("divui", x(t), t.literal(4))), y(t)),
        t.op("addi", y(t), t.op("addi", t.op("shrui", x(t), t.literal(2)), z(t))),
    ),
    "of-index": lambda t: (
        t.op("index_cast", t.op("index_cast", x(t), to=INDEX), to=IntType(32)),
        x(t),
    ),
}

DIFFERENT: dict[str, Pair] = {
    "operands-swapped": lambda t: (t.op("subi", x(t), y(t)), t.op("subi", y(t), x(t))),
    "quotient-by-itself": lambda t: (t.op("divui", x(t), x(t)), t.literal(1)),
    "halved-double": lambda t: (t.op("divui", t.op("muli", x(t), t.literal(2)), t.literal(2)), x(t)),
    "signed-and-unsigned": lambda t: (t.compare("slt", x(t), y(t)), t.compare("ult", x(t), y(t))),
    "shift-of-width": lambda t: (t.op("shrui", x(t), t.literal(32)), t.op("divui", x(t), t.literal(0))),
    "narrowed": lambda t: (t.op("extui", t.op("trunci", x(t), to=IntType(8)), to=IntType(32)), x(t)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EQUAL)
def test_equal(name: str) -> None:
    source, target = EQUAL[name](Terms())
    answer = ENGINE.equal(source, target)
    assert answer.proved and answer.stop_reason == "proved", answer
    assert not answer.used_facts
    assert ENGINE.equal(target, source).proved


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str) -> None:
    source, target = DIFFERENT[name](Terms())
    assert not ENGINE.equal(source, target).proved


def test_rules_are_named() -> None:
    assert "shrui-as-divui" in answer_of("divided-by-8").rules
    assert "boolean-ring-normal-form" in answer_of("de-morgan").rules
    assert "integer-ring-normal-form" in answer_of("sum-turned").rules
    assert "maxsi-ac-normal-form" in answer_of("maxima-nested").rules


def answer_of(name: str) -> Answer:
    return ENGINE.equal(*EQUAL[name](Terms()))


# Floats


def test_floats_commute_and_change_signs() -> None:
    t = Terms(FloatType("f32"))
    f, g, h = t.leaf(0), t.leaf(1), t.leaf(2)
    assert ENGINE.equal(t.op("addf", t.op("mulf", f, g), h), t.op("addf", h, t.op("mulf", g, f))).proved
    assert ENGINE.equal(t.op("subf", f, t.op("negf", g)), t.op("addf", g, f)).proved
    assert ENGINE.equal(t.op("mulf", f, t.literal(1.0)), f).proved
    assert ENGINE.equal(t.op("addf", f, t.literal(-0.0)), f).proved
    assert ENGINE.equal(t.op("addf", t.literal(1.5), t.literal(2.0)), t.literal(3.5)).proved


def test_floats_are_not_reassociated() -> None:
    t = Terms(FloatType("f32"))
    f, g, h = t.leaf(0), t.leaf(1), t.leaf(2)
    assert not ENGINE.equal(t.op("addf", t.op("addf", f, g), h), t.op("addf", f, t.op("addf", g, h))).proved
    assert not ENGINE.equal(t.op("addf", f, t.literal(0.0)), f).proved
    assert not ENGINE.equal(t.op("subf", f, f), t.literal(0.0)).proved
    assert not ENGINE.equal(t.literal(0.0), t.literal(-0.0)).proved


def test_an_operator_with_licences_is_an_unknown_function() -> None:
    t = Terms(FloatType("f32"))
    f, g = t.leaf(0), t.leaf(1)
    licensed = t.op("addf", f, g, fastmath="reassoc")
    assert ENGINE.equal(licensed, t.op("addf", f, g, fastmath="reassoc,nnan")).proved
    assert not ENGINE.equal(licensed, t.op("addf", f, g)).proved
    assert not ENGINE.equal(licensed, t.op("addf", g, f, fastmath="reassoc")).proved
    assert ENGINE.equal(t.op("addf", f, g, fastmath="nnan"), t.op("addf", g, f)).proved


def test_a_zero_of_open_sign_is_not_folded() -> None:
    t = Terms(FloatType("f32"))
    assert not ENGINE.equal(t.op("maxnumf", t.literal(0.0), t.literal(-0.0)), t.literal(0.0)).proved
    assert not ENGINE.equal(t.op("maxnumf", t.leaf(0), t.leaf(1)), t.op("maxnumf", t.leaf(1), t.leaf(0))).proved


# Facts


def test_a_fact_is_used_and_said_to_be() -> None:
    t = Terms()
    quotient = t.op("divui", x(t), x(t))
    answer = ENGINE.equal(quotient, t.literal(1), facts_of(quotient))
    assert answer.proved and answer.used_facts


def test_a_fact_that_was_not_needed_is_not_used() -> None:
    t = Terms()
    quotient = t.op("divui", x(t), y(t))
    target = t.op("addi", quotient, t.literal(0))
    answer = ENGINE.equal(quotient, target, facts_of(quotient))
    assert answer.proved and not answer.used_facts


def test_an_overflow_flag_is_a_fact() -> None:
    t = Terms()
    shifted = t.op("shli", x(t), y(t), overflow="nuw")
    back = t.op("shrui", shifted, y(t))
    assert ENGINE.equal(back, x(t), facts_of(back)).proved
    plain = t.op("shrui", t.op("shli", x(t), y(t)), y(t))
    assert not ENGINE.equal(plain, x(t), facts_of(plain)).proved


def test_facts_of_one_goal_are_forgotten_in_the_next() -> None:
    t = Terms()
    quotient = t.op("divui", x(t), x(t))
    assert ENGINE.equal(quotient, t.literal(1), facts_of(quotient)).proved
    assert not ENGINE.equal(quotient, t.literal(1)).proved


# Scale and budgets


def _sum(t: Terms, operands: list[Term], rng: random.Random) -> Term:
    left = list(operands)
    while len(left) > 1:
        k = rng.randrange(len(left) - 1)
        left[k : k + 2] = [t.op("addi", left[k], left[k + 1])]
    return left[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [100, 2000])
def test_long_sums_shuffled(count: int) -> None:
    t, rng = Terms(), random.Random(count)
    operands = [t.leaf(k) for k in range(count)]
    shuffled = rng.sample(operands, count)
    assert ENGINE.equal(_sum(t, operands, rng), _sum(t, shuffled, rng)).proved
    assert not ENGINE.equal(_sum(t, operands, rng), _sum(t, shuffled[1:] + shuffled[1:2], rng)).proved


@pytest.mark.one_in(6)
@pytest.mark.parametrize("operators", ["andi", "ori", "xori", "minsi", "muli"])
def test_long_chains_shuffled(operators: str) -> None:
    t, rng = Terms(), random.Random(7)
    operands = [t.leaf(k) for k in range(300)]

    def chain(order: list[Term]) -> Term:
        whole = order[0]
        for operand in order[1:]:
            whole = t.op(operators, whole, operand)
        return whole

    assert ENGINE.equal(chain(operands), chain(rng.sample(operands, 300))).proved
    assert not ENGINE.equal(chain(operands), chain(operands[1:])).proved


@pytest.mark.one_in(12)
@pytest.mark.parametrize("length", [1000, 10_000])
def test_deep_chains(length: int) -> None:
    t = Terms()
    left = right = x(t)
    for k in range(length):
        name = ("addi", "xori", "muli", "divui")[k % 4]
        left = t.op(name, left, t.leaf(k % 50))
        right = t.op(name, right, t.leaf(k % 50)) if name == "divui" else t.op(name, t.leaf(k % 50), right)
    assert ENGINE.equal(left, right).proved
    assert not ENGINE.equal(left, t.op("divui", right, y(t))).proved


def _hard(t: Terms) -> tuple[Term, Term]:
    """Two terms of selects and comparisons that the laws can rewrite without end."""
    p, q = t.compare("slt", x(t), y(t)), t.compare("ult", y(t), z(t))
    source = t.choose(t.op("andi", p, q), t.op("muli", t.choose(q, x(t), y(t)), z(t)), t.op("divsi", x(t), z(t)))
    return source, t.op("floordivsi", source, t.choose(p, z(t), x(t)))


def test_iteration_limit() -> None:
    answer = TermEngine(LAWS, Budget(iterations=3)).equal(*_hard(Terms()))
    assert (answer.proved, answer.stop_reason) == (False, "iteration-limit")
    assert answer.iterations <= 3


def test_node_limit() -> None:
    answer = TermEngine(LAWS, Budget(iterations=1000, nodes=200, seconds=60)).equal(*_hard(Terms()))
    assert (answer.proved, answer.stop_reason) == (False, "node-limit")


def test_time_limit() -> None:
    started = time.monotonic()
    answer = TermEngine(LAWS, Budget(iterations=100_000, nodes=1_000_000, seconds=0.0)).equal(*_hard(Terms()))
    assert (answer.proved, answer.stop_reason) == (False, "time-limit")
    assert time.monotonic() - started < 20


# Without laws


def test_without_laws_only_congruence_is_left() -> None:
    t, bare = Terms(), TermEngine(())
    assert bare.equal(t.op("addi", x(t), y(t), overflow="nsw"), t.op("addi", x(t), y(t))).proved
    assert not bare.equal(t.op("addi", x(t), y(t)), t.op("addi", y(t), x(t))).proved


def test_an_engine_of_the_parent_fails_in_a_child_and_does_not_hang() -> None:
    t = Terms()
    source, target = EQUAL["divided-by-8"](t)
    assert ENGINE.equal(source, target).proved
    child = os.fork()
    if child == 0:
        os._exit(7 if ENGINE.equal(source, target).stop_reason == "failed" else 0)
    deadline = time.monotonic() + 20
    pid, status = os.waitpid(child, os.WNOHANG)
    while pid == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
        pid, status = os.waitpid(child, os.WNOHANG)
    if pid == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert pid and os.waitstatus_to_exitcode(status) == 7
