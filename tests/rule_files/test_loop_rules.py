"""Loop rules of users: what a file may say, audits by running, and instances that the schedule law shows."""

from __future__ import annotations

from random import Random
from textwrap import dedent

import pytest

from hecv.base.diagnostics import InputError
from hecv.base.term import TermPool
from hecv.base.types import INDEX
from hecv.patterns.calculus.loop_rules import LoopRule, condition_text, side_text
from hecv.rule_files.portable_json import dumps
from hecv.rule_files.rule_loader import loads
from hecv.theorems.schedules.schedule_tree import Part
from hecv.theorems.schedules.theorem_instance import Surroundings
from hecv.theorems.user_rules.loop_rule_audit import audited
from hecv.theorems.user_rules.loop_rule_instances import Binding, instance, matches
from hecv.theorems.user_rules.loop_rule_trials import World, difference

HEAD = "from hecv.rules import Body, Bound, Number, in_order, independent, loop, loop_rule\n\n"

RIGHT = {
    "backwards": """
        def f(a: Bound, b: Bound, S: Body):
            assert in_order()
            return loop(a, b, lambda i: S(i)), loop(0, b - a, lambda k: S(b - 1 - k))
    """,
    "skewed": """
        def f(n: Bound, a: Bound, b: Bound, S: Body):
            straight = loop(0, n, lambda t: loop(a, b, lambda i: S(t, i)))
            return straight, loop(0, n, lambda t: loop(a + t, b + t, lambda x: S(t, x - t)))
    """,
    "apart": """
        def f(a: Bound, b: Bound, S: Body, T: Body):
            assert independent(S, T)
            return loop(a, b, lambda i: (S(i), T(i))), (loop(a, b, lambda i: T(i)), loop(a, b, lambda i: S(i)))
    """,
    "strips": """
        def f(n: Bound, S: Body, k: Number = (2, 3)):
            tiles = loop(0, n, lambda t: loop(t, (t + k, n), lambda i: S(i)), step=k)
            return loop(0, n, lambda i: S(i)), tiles
    """,
    "once": """
        def f(a: Bound, b: Bound, S: Body):
            assert b == a + 1
            return loop(a, b, lambda i: S(i)), S(a)
    """,
}

WRONG = {
    "no condition": RIGHT["backwards"].replace("assert in_order()", "pass"),
    "one too far": RIGHT["backwards"].replace("b - 1 - k", "b - k"),
    "skewed back": RIGHT["skewed"].replace("S(t, x - t)", "S(t, x)"),
    "not independent": RIGHT["apart"].replace("assert independent(S, T)", "pass"),
    "strips too long": RIGHT["strips"].replace("(t + k, n)", "t + k"),
    "perhaps never": RIGHT["once"].replace("b == a + 1", "b <= a + 1"),
}
"""The right ones, with one mistake each."""


def rule(text: str) -> LoopRule:
    (found,) = loads(f"{HEAD}@loop_rule{_indented(text)}", "R.py").loops
    return found


def _indented(text: str) -> str:
    return dedent(text).rstrip() + "\n"


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_passes_its_audit(name: str) -> None:
    found = audited(rule(RIGHT[name]), 120)
    assert found.status == "tested" and found.held >= 10, found.text


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted_with_values(name: str) -> None:
    found = audited(rule(WRONG[name]), 400)
    assert found.status == "failed" and found.values and found.failure, found.text


def test_a_rule_whose_conditions_hardly_ever_hold_has_not_been_audited() -> None:
    found = audited(rule(RIGHT["once"].replace("b == a + 1", "a == b + 500")), 60)
    assert (found.status, found.held) == ("unknown", 0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_an_instance_that_the_schedule_law_shows_runs_alike(name: str) -> None:
    """Also of a rule that is false: nothing is concluded from it that is not shown."""
    found, held = rule({**RIGHT, **WRONG}[name]), 0
    for seed in range(100):
        world = World(TermPool(), Random(f"{name} {seed}"))
        symbolic = world.chance(0.5)
        bounds = {n: world.bound(0, 3) if symbolic else world.pool.integer(seed % 7 - 1) for n in found.bounds}
        bodies = {n: Part(world.body(arity), (INDEX,) * arity) for n, arity in found.bodies.items()}
        numbers = {n: world.random.choice(choices) for n, choices in found.numbers.items()}
        made = instance(world.pool, Surroundings(0), found, Binding(bounds, numbers, bodies))
        if made is not None and made.broken() is None:
            held += 1
            told = difference(world, (), made.before, made.after, 6)
            assert told is None, f"seed {seed}: {told}"
    assert held >= 3 or name in WRONG


@pytest.mark.parametrize("name", RIGHT)
def test_a_condition_that_does_not_hold_is_named(name: str) -> None:
    found, missing = rule(RIGHT[name]), set[str | None]()
    for seed in range(150):
        world = World(TermPool(), Random(f"named {name} {seed}"))
        bounds = {n: world.pool.integer(world.random.randint(-2, 6)) for n in found.bounds}
        bodies = {n: Part(world.body(arity), (INDEX,) * arity) for n, arity in found.bodies.items()}
        numbers = {n: choices[0] for n, choices in found.numbers.items()}
        made = instance(world.pool, Surroundings(0), found, Binding(bounds, numbers, bodies))
        if made is not None:
            missing.add(made.broken())
    assert {condition_text(c) for c in found.conditions} <= missing


@pytest.mark.parametrize("name", RIGHT)
def test_the_first_side_matches_what_it_stands_for(name: str) -> None:
    """A binding is found again in the statements that it makes."""
    found = rule(RIGHT[name])
    for seed in range(40):
        world = World(TermPool(), Random(f"match {name} {seed}"))
        bounds = {n: world.bound(1, 3) for n in found.bounds}
        bodies = {n: Part((world.statement(1 + arity),), (INDEX,) * arity) for n, arity in found.bodies.items()}
        numbers = {n: choices[0] for n, choices in found.numbers.items()}
        binding = Binding(bounds, numbers, bodies)
        made = instance(world.pool, Surroundings(1), found, binding)
        assert made is not None
        answers = [b for length, b in matches(world.pool, 1, found, made.before) if length == len(made.before)]
        assert binding in answers


def test_text_of_a_rule() -> None:
    found = rule(RIGHT["strips"])
    assert side_text(found.before) == "for i1 = 0 to n { S(i1) }" or "S(" in side_text(found.before)
    assert "min(" in side_text(found.after) and "step k" in side_text(found.after)


PROBLEMS = {
    "branch": ("def f(a: Bound, b: Bound, S: Body):\n    if a <= b: pass\n    return S(a), S(b)\n", "branch"),
    "or": ("def f(a: Bound, b: Bound, S: Body):\n    assert a <= b or a > 0\n    return S(a), S(b)\n", "branch"),
    "unannotated": ("def f(a, S: Body):\n    return loop(0, a, S), S(a)\n", "parameters"),
    "one side": ("def f(a: Bound, S: Body):\n    return loop(0, a, S)\n", "no-sides"),
    "open body": ("def f(a: Bound, S: Body, T: Body):\n    return loop(0, a, S), loop(0, a, T)\n", "open-body"),
    "open bound": ("def f(a: Bound, b: Bound, S: Body):\n    return loop(0, a, S), loop(0, b, S)\n", "open-variable"),
    "open number": ("def f(a: Bound, k: Number, S: Body):\n    return loop(0, a, S), loop(0, k, S)\n", "open-variable"),
    "shifted first": (
        "def f(a: Bound, S: Body):\n    return loop(0, a, lambda i: S(i + 1)), loop(1, a, S)\n",
        "open-body",
    ),
    "arity": ("def f(a: Bound, S: Body):\n    return loop(0, a, S), S()\n", "wrong-arity"),
    "product": ("def f(a: Bound, b: Bound, S: Body):\n    return loop(0, a * b, S), S(0)\n", "not-affine"),
    "no loop": ("def f(a: Bound, S: Body):\n    return S(a), S(a)\n", "open-body"),
    "truth": ("def f(a: Bound, S: Body):\n    assert a\n    return loop(0, a, S), S(0)\n", "no-condition"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_wrong_with_a_rule_is_said_at_its_line(name: str) -> None:
    text, kind = PROBLEMS[name]
    with pytest.raises(InputError) as raised:
        loads(f"{HEAD}@loop_rule\n{text}", "R.py")
    (problem,) = raised.value.diagnostics
    assert problem.name == kind and problem.location is not None and problem.location.line == 4


def test_names_are_taken_once() -> None:
    text = "@loop_rule\ndef f(a: Bound, S: Body):\n    return loop(0, a, S), loop(0, a, S)\n"
    with pytest.raises(InputError) as raised:
        loads(f"{HEAD}{text}\n{text}", "R.py")
    assert [d.name for d in raised.value.diagnostics] == ["name-taken"]


def test_loop_rules_have_no_json() -> None:
    text = f"{HEAD}@loop_rule{_indented(RIGHT['once'])}"
    with pytest.raises(InputError):
        dumps(loads(text, "R.py"))
