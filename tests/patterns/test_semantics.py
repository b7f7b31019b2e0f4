"""The machine, the relation and the paper's machine are the same semantics (docs/rule-language.md)."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.patterns.graphs import Graph
from tests.patterns.paper import TooLong, paper_matches
from tests.patterns.random_rules import Profile, definitions, grammar, graph, network

from hecv.patterns.calculus.match_relation import accepts
from hecv.patterns.calculus.matches import Match
from hecv.patterns.calculus.pattern_ast import Definition
from hecv.patterns.machine.machine import Search
from hecv.patterns.machine.wellformed import problems

randoms = st.integers(0, 2**48).map(Random)
often = settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def well_formed(random: Random, late: bool = False, calls: int = 3) -> dict[str, Definition]:
    """Random definitions without problems."""
    while True:
        made = definitions(random, Profile(late, calls))
        if not problems(made):
            return made


def key(match: Match) -> tuple:
    functions = sorted((name, repr(operator), match.arities[name]) for name, operator in match.functions.items())
    return (tuple(sorted(match.terms.items())), tuple(functions))


def substitutions(definition: Definition, subject: Graph) -> list[Match]:
    """Every way to give meaning to the parameters."""
    nodes = [node for value in subject.values() for node in subject.nodes(value)]
    operators = {repr(n.operator): (n.operator, len(n.args)) for n in nodes}
    choices = [subject.values() if p.sort == "term" else list(operators.values()) for p in definition.parameters]
    found = []
    for meanings in product(*choices):
        named = list(zip(definition.parameters, meanings, strict=True))
        functions = {p.name: m for p, m in named if p.sort == "function"}
        terms = {p.name: m for p, m in named if p.sort == "term"}
        found.append(Match(terms, {n: o for n, (o, _) in functions.items()}, {n: a for n, (_, a) in functions.items()}))
    return found


def check_exact(made: dict[str, Definition], subject: Graph) -> int:
    """The machine finds what the relation accepts, and nothing else; how many that are."""
    count = 0
    for name, definition in made.items():
        everything = substitutions(definition, subject)
        for value in subject.values():
            search = Search(made, subject)
            found = [key(match) for match in search.matches(name, value)]
            assert not search.depth_reached and not search.out_of_steps
            assert len(set(found)) == len(found)
            right = {key(m) for m in everything if accepts(made, definition.body, m, subject, value)}
            assert set(found) == right
            count += len(right)
    return count


@pytest.mark.one_in(2)
@often
@given(randoms)
def test_the_machine_is_sound_and_complete(random: Random) -> None:
    check_exact(well_formed(random), graph(random, 5))


@often
@given(randoms)
def test_and_with_checks_that_wait(random: Random) -> None:
    check_exact(well_formed(random, late=True), graph(random, 5))


@pytest.mark.one_in(2)
@often
@given(randoms)
def test_and_on_e_classes_with_cycles(random: Random) -> None:
    check_exact(well_formed(random, calls=8), graph(random, 7, classes=random.randint(1, 3)))


@pytest.mark.one_in(2)
def test_random_rules_match_something() -> None:
    counts = [check_exact(well_formed(random), graph(random, 5)) for random in map(Random, range(60))]
    assert sum(count > 0 for count in counts) > 30


@often
@given(randoms)
def test_matches_come_in_the_order_of_the_paper(random: Random) -> None:
    made, subject = well_formed(random), graph(random, 8)
    for name in made:
        for value in subject.values():
            try:
                expected = list(dict.fromkeys(map(key, paper_matches(made, name, subject, value, 20_000))))
            except TooLong:
                continue
            assert [key(match) for match in Search(made, subject).matches(name, value)] == expected


@pytest.mark.one_in(2)
@often
@given(randoms)
def test_a_larger_substitution_still_matches(random: Random) -> None:
    made, subject = well_formed(random), graph(random, 5)
    for definition in made.values():
        for match in substitutions(definition, subject):
            dropped = random.choice(definition.parameters).name
            functions = {n: o for n, o in match.functions.items() if n != dropped}
            smaller = Match({n: v for n, v in match.terms.items() if n != dropped}, functions, match.arities)
            more = Match({**match.terms, "unused": 0}, match.functions, match.arities)
            for value in subject.values()[:4]:
                accepted = accepts(made, definition.body, match, subject, value)
                assert accepted or not accepts(made, definition.body, smaller, subject, value)
                assert accepts(made, definition.body, more, subject, value) == accepted


@often
@given(randoms)
def test_what_is_kept_changes_nothing(random: Random) -> None:
    """One search for all values, in any order, with some enumerations abandoned, finds what new ones find."""
    made, subject = well_formed(random), graph(random, 8, classes=random.randint(0, 2))
    kept = Search(made, subject, frozen=True)
    asked = [(name, value) for name in made for value in subject.values()]
    random.shuffle(asked)
    for name, value in asked[: len(asked) // 2]:
        kept.first(name, value)
    for name, value in asked:
        fresh = {key(match) for match in Search(made, subject).matches(name, value)}
        assert {key(match) for match in kept.matches(name, value)} == fresh


@often
@given(randoms)
def test_grammars_on_networks(random: Random) -> None:
    """What a search on cycles has to collect comes round many ways."""
    check_exact(grammar(random), network(random, 5))
