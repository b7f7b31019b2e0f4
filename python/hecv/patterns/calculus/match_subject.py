"""Subjects: the interface of what patterns are matched against."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from hecv.patterns.calculus.pattern_ast import Value


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as the value of a function variable: its name and attributes."""

    name: str
    attrs: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A result of an operator on values, which are numbers of the subject."""

    operator: Operator
    args: tuple[int, ...]
    result: int = 0
    results: int = 1


class Subject(Protocol):
    """A graph of values by number; equal numbers are the same value, so numbers of e-classes are canonical."""

    def nodes(self, value: int) -> Iterable[Node]:
        """The nodes that make the value: at most one in a program, any number in an e-class; none for an argument."""
        ...

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        """Whether the value is a literal equal to `literal`, or a tensor filled with it; integers are compared modulo
        `2**width`."""
        ...

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        """An attribute of a value; None if unknown.

        `type` (text), `elType` (text of the element type; for a scalar, its type), `width`, `shape` (tuple),
        `shape.rank` and `rank`, `shape.<k>` and `shape.dims`, `value` (of a literal, signed), `op` (the name of the
        operator that makes it), `uses`; any other path of one name is an attribute of that operator.
        """
        ...

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        """The families that an operator belongs to."""
        ...
