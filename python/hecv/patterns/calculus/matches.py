"""Matches: the substitution of a definition's variables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from hecv.patterns.calculus.guard_expressions import value_key
from hecv.patterns.calculus.match_subject import Operator, Subject
from hecv.patterns.calculus.pattern_ast import Value


@dataclass(frozen=True, slots=True)
class Match:
    """A substitution: `terms` maps variables to values (theta), `functions` maps function variables to operators (phi).

    `arities` has the number of operands of each function variable's operator.
    """

    terms: Mapping[str, int]
    functions: Mapping[str, Operator] = field(default_factory=dict[str, Operator])
    arities: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Bound:
    """A match with what the subject knows of its values: a `Lookup` for expressions."""

    match: Match
    subject: Subject

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None:
        """An attribute of a variable's value or operator."""
        if variable in self.match.terms:
            return self.subject.attribute(self.match.terms[variable], path)
        operator = self.match.functions.get(variable)
        return None if operator is None else operator_attribute(operator, path)

    def member(self, function: str, family: str) -> bool | None:
        """Whether the operator of a function variable is of this family."""
        operator = self.match.functions.get(function)
        count = self.match.arities.get(function)
        if operator is None or count is None:
            return None
        return family in self.subject.families(operator, count)


def operator_attribute(operator: Operator, path: tuple[str, ...]) -> Value | None:
    """The `name` of an operator, or an attribute of its own."""
    if path == ("name",):
        return operator.name
    for name, value in operator.attrs:
        if (name,) == path:
            return value
    return None


def operator_key(operator: Operator, arity: int) -> Hashable:
    """A key that is equal exactly for the same operator, attributes included, with the same number of operands."""
    if not operator.attrs:
        return (operator.name, arity)
    return (operator.name, arity, *sorted((name, value_key(value)) for name, value in operator.attrs))
