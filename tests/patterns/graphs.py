"""A graph made by hand: what patterns are matched against in these tests."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from hecv.patterns.calculus.guard_expressions import same_value
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.matches import operator_key
from hecv.patterns.calculus.pattern_ast import Value

FAMILIES = {"f": "unary", "g": "binary", "h": "binary", "k": "unary"}


@dataclass
class Graph:
    """Values by number. Equal nodes are one value; `union` gives one value the nodes of two."""

    made: dict[Hashable, int] = field(default_factory=dict)
    members: list[list[Node]] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    literals: dict[int, int | float | bool] = field(default_factory=dict)
    known: dict[tuple[int, tuple[str, ...]], Value] = field(default_factory=dict)

    def leaf(self, **known: Value) -> int:
        """A value of which nothing is known but these attributes."""
        value = len(self.parents)
        self.parents.append(value)
        self.members.append([])
        self.known |= {(value, (name,)): held for name, held in known.items()}
        return value

    def number(self, literal: int | float | bool) -> int:
        """A literal."""
        value = self.leaf(value=literal)
        self.literals[value] = literal
        return value

    def make(self, op: str, *args: int, result: int = 0, results: int = 1, **attrs: Value) -> int:
        """The result of an operator."""
        operator = Operator(op, tuple(attrs.items()))
        operands = tuple(self.find(a) for a in args)
        key = (operator_key(operator, len(args)), operands, result)
        if key not in self.made:
            value = self.made[key] = self.leaf()
            self.members[value].append(Node(operator, operands, result, results))
        return self.find(self.made[key])

    def chain(self, op: str, length: int, start: int) -> int:
        """`op` applied so many times."""
        for _ in range(length):
            start = self.make(op, start)
        return start

    def union(self, left: int, right: int) -> int:
        """Both are one value from now on."""
        left, right = self.find(left), self.find(right)
        if left != right:
            self.parents[right] = left
            self.members[left] += self.members[right]
        return left

    def find(self, value: int) -> int:
        """The number that stands for a value."""
        while self.parents[value] != value:
            value = self.parents[value]
        return value

    def values(self) -> list[int]:
        """All values."""
        return [v for v in range(len(self.parents)) if self.parents[v] == v]

    # Subject

    def nodes(self, value: int) -> list[Node]:
        canonical = [Node(n.operator, tuple(map(self.find, n.args)), n.result, n.results) for n in self.members[value]]
        return [n for i, n in enumerate(canonical) if n not in canonical[:i]]

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        return value in self.literals and same_value(self.literals[value], literal)

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        return self.known.get((value, path))

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        family = FAMILIES.get(operator.name)
        return frozenset((family,)) if family == {1: "unary", 2: "binary"}.get(arity) else frozenset()
