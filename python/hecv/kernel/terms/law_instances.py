"""Ground instances of laws: laws of the book looked up by name and applied to terms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from hecv.base.term import Attributes, Term, TermPool, literal
from hecv.base.types import FloatType
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import UseLaw
from hecv.kernel.certificate.term_rows import type_of
from hecv.kernel.terms.congruence_closure import Closure, symbol_of, takes_exact
from hecv.kernel.terms.valid_literals import is_literal
from hecv.laws.all_laws import BOOK
from hecv.ops.facts.poison_conditions import without_flags
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import (
    Equation,
    Number,
    Operation,
    Pattern,
    Variable,
    at_literals,
    kind_of,
    replaced,
    variables,
)
from hecv.patterns.equations.law_record import Law


@cache
def equations() -> Mapping[str, Law]:
    """The laws that are equations, by name."""
    return {law.name: law for law in BOOK if not law.refines}


class Laws:
    """Applies laws of the book to ground terms."""

    def __init__(self, closure: Closure, index_width: int) -> None:
        self._closure: Final = closure
        self._width: Final = index_width
        self._folder: Final = Folder(index_width)
        self._pool: Final = TermPool()

    def sides(self, step: str, use: UseLaw, values: Mapping[str, Term]) -> tuple[int, int]:
        """The values of both sides of a law, with its variables replaced by these terms.

        Raises: Rejected if it is no law at these types, or not for these literals.
        """
        law = equations().get(use.law)
        if law is None:
            raise Rejected(step, f"no equation of the book is called '{use.law}'")
        kinds = [kind_of(type_of(text), self._width) for text in use.types]
        instance = law.instance(kinds) if len(kinds) == law.arity else None
        if instance is None:
            raise Rejected(step, f"'{use.law}' says nothing at these types")
        equation = self.at(step, instance.equation, values)
        numbers = {name: self._closure.value(term) for name, term in values.items()}
        return self._build(step, equation.left, numbers), self._build(step, equation.right, numbers)

    def at(self, step: str, equation: Equation, values: Mapping[str, Term]) -> Equation:
        """The equation for the literals among the terms.

        Raises: Rejected if the law does not claim it for them.
        """
        holes = variables(equation.left)
        if values.keys() != holes.keys() or any(values[n].type != hole.kind.type for n, hole in holes.items()):
            raise Rejected(step, "its terms are not those that the law asks for")
        if equation.given:
            raise Rejected(step, "the law has premises")
        known: dict[str, int | float] = {}
        for name, hole in holes.items():
            if hole.literal:
                value = literal(values[name])
                if value is None or not is_literal(values[name], self._width):
                    raise Rejected(step, f"{name} has to be a literal")
                known[name] = value
        if equation.where is not None and self._folder.evaluate(equation.where, known) != 1:
            raise Rejected(step, "its side condition does not hold")
        if equation.computed is None:
            parts = {name: _number(hole, known[name]) for name, hole in holes.items() if hole.literal}
            return Equation(replaced(equation.left, parts), replaced(equation.right, parts))
        found = at_literals(equation, known)
        if found is None or found.given:
            raise Rejected(step, "the law is not claimed for these literals")
        return found

    def _build(self, step: str, side: Pattern, numbers: Mapping[str, int]) -> int:
        folded = self.folded(side)
        if folded is not None:
            return self._closure.value(self._pool.make("const", (), side.kind.type, literal_attributes(folded)))
        match side:
            case Variable(name=name):
                return numbers[name]
            case Operation(kind=kind, op=op, args=args, attrs=attrs):
                leaves = [self._pool.make("leaf", (), a.kind.type, (("number", k),)) for k, a in enumerate(args)]
                term = self._pool.make(op, tuple(leaves), kind.type, attrs)
                if takes_exact(term) or without_flags(attrs) != attrs:
                    raise Rejected(step, f"{op} with these attributes is no part of an equation")
                operands = [self._build(step, a, numbers) for a in args]
                return self._closure.apply(self._closure.symbol(symbol_of(term)), operands)
            case _:
                raise Rejected(step, "it computes what is no literal")

    def folded(self, side: Pattern) -> int | float | None:
        """The value of a pattern that consists of literals; None if unknown."""
        if isinstance(side, Variable) or variables(side):
            return None
        value = self._folder.evaluate(side, {})
        return None if value is None else float(value) if isinstance(side.kind.type, FloatType) else value


def _number(hole: Variable, value: int | float) -> Number:
    return Number(hole.kind, value.hex() if isinstance(value, float) else value)


def literal_attributes(value: int | float) -> Attributes:
    """The attributes of a literal with a value."""
    return (("value", value.hex() if isinstance(value, float) else value),)
