"""Traced branches mean what Python means: random bodies are traced, and run by Python on attributes that are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from tests.patterns.graphs import Graph

from hecv.patterns.machine.machine import Search
from hecv.rule_files.rule_loader import loads

OPS = ("abs", "exp", "tanh", "ceil")
RANKS, WIDTHS, ELEMENTS = (1, 2, 3), (8, 16), ("i8", "f32")


def condition(random: Random, depth: int) -> str:
    """A random condition on x."""
    if depth and random.random() < 0.6:
        left, right = (condition(random, depth - 1) for _ in range(2))
        return random.choice([f"({left} and {right})", f"({left} or {right})", f"(not {left})"])
    return random.choice(
        [
            f"x.rank {random.choice(['==', '!=', '<', '>='])} {random.choice(RANKS)}",
            f"x.width {random.choice(['==', '>'])} {random.choice(WIDTHS)}",
            f"x.elType {random.choice(['==', '!='])} '{random.choice(ELEMENTS)}'",
            f"{random.choice(RANKS)} <= x.rank < {random.choice(RANKS)}",
            f"x.rank in {random.sample(RANKS, 2)}",
            "x.elType not in ('i8', 'f16')",
            "x.rank + 1 == x.width // 4",
        ]
    )


def statements(random: Random, depth: int, indent: str) -> Iterator[str]:
    """A random block that returns an operator on x or fails an assertion on every path."""
    if depth:
        for _ in range(random.randrange(3)):
            yield from statement(random, depth, indent)
    yield f"{indent}return {random.choice(OPS)}(x)"


def statement(random: Random, depth: int, indent: str) -> Iterator[str]:
    if random.random() < 0.4:
        yield f"{indent}assert {condition(random, 2)}"
        return
    yield f"{indent}if {condition(random, 2)}:"
    yield from statements(random, depth - 1, indent + "    ")
    if random.random() < 0.5:
        yield f"{indent}elif {condition(random, 1)}:"
        yield from statements(random, depth - 1, indent + "    ")


def returned(body: str, rank: int, width: int, element: str) -> str | None:
    """The operator that Python returns where the attributes are known; None where an assertion fails."""
    names: dict[str, Any] = {op: (lambda x, op=op: op) for op in OPS}
    exec(body, names)
    try:
        return names["p"](SimpleNamespace(rank=rank, width=width, elType=element))
    except AssertionError:
        return None


@pytest.mark.parametrize("seed", range(60))
def test_random_bodies(seed: int) -> None:
    random = Random(seed)
    body = "def p(x):\n" + "\n".join(statements(random, 2, "    ")) + "\n"
    cases = [*product(RANKS, WIDTHS, ELEMENTS)]
    expected = {case: returned(body, *case) for case in cases}
    if not any(expected.values()):
        return
    ops = "".join(f"{op} = tosa.{op}\n" for op in OPS)
    file = loads(f"from hecv.rules import tosa, pattern\n{ops}@pattern\n{body}", "R.py")
    for (rank, width, element), result in expected.items():
        graph = Graph()
        x = graph.leaf(rank=rank, width=width, elType=element)
        for op in OPS:
            match = Search(file.definitions, graph).first("p", graph.make(f"tosa.{op}", x))
            assert (match is not None) == (op == result), (body, rank, width, element, op)


def test_what_is_not_known_takes_no_branch() -> None:
    text = """
from hecv.rules import *
@pattern
def p(x):
    if x.rank == 2:
        return tosa.exp(x)
    return tosa.exp(tosa.abs(x))
"""
    file = loads(text, "R.py")
    graph = Graph()
    for inner in (graph.leaf(), graph.make("tosa.abs", graph.leaf())):
        assert Search(file.definitions, graph).first("p", graph.make("tosa.exp", inner)) is None
