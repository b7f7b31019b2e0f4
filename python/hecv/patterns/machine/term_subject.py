"""The terms of a program as a subject of patterns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType, OpaqueType
from hecv.patterns.calculus.guard_expressions import same_value
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.pattern_ast import Value
from hecv.run.evaluation.softfloat import round_to

Families = Callable[[Operator, int], frozenset[str]]


def no_families(_operator: Operator, _arity: int) -> frozenset[str]:
    """The empty set: no operator belongs to any family."""
    return frozenset()


class TermSubject:
    """The terms below `roots`, by their ids. `uses` counts operands, and a root as one more use."""

    def __init__(self, roots: Iterable[Term], families: Families = no_families, index_width: int = 64) -> None:
        held = tuple(roots)
        self._terms: Final = {term.id: term for term in postorder(held)}
        self._uses: Final = Counter(root.id for root in held)
        for term in self._terms.values():
            self._uses.update(a.id for a in term.args)
        self._families: Final = families
        self._index_width: Final = index_width

    def nodes(self, value: int) -> tuple[Node, ...]:
        """The operator of the term; none for a leaf such as an argument."""
        term = self._terms[value]
        if not term.args and term.op != "const":
            return ()
        return (Node(Operator(term.op, term.attrs), tuple(a.id for a in term.args)),)

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        """Whether the term is the literal that `literal` gives at the term's type."""
        return equals(self._terms[value], literal)

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        """What is known of the term: see `Subject.attribute`. For types without a meaning here, only the text."""
        term = self._terms[value]
        scalar = not isinstance(term.type, OpaqueType)
        match path:
            case ("type",):
                return str(term.type)
            case ("elType",):
                return str(term.type) if scalar else None
            case ("width",):
                return self._width(term)
            case ("value",):
                return signed(term)
            case ("op",):
                return term.op if self.nodes(value) else None
            case ("uses",):
                return self._uses[value]
            case ("shape",) | ("shape", "dims"):
                return () if scalar else None
            case ("rank",) | ("shape", "rank"):
                return 0 if scalar else None
            case (name,):
                return next((held for key, held in term.attrs if key == name), None)
            case _:
                return None

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        """The families that an operator belongs to."""
        return self._families(operator, arity)

    def _width(self, term: Term) -> int | None:
        match term.type:
            case IntType(width=width):
                return width
            case IndexType():
                return self._index_width
            case FloatType(name=name):
                return {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}.get(name)
            case OpaqueType():
                return None


def equals(term: Term, expected: int | float | bool) -> bool:
    """Whether the term is a literal with this value: integers modulo `2**width`, floats rounded to the format."""
    held = literal(term)
    if held is None:
        return False
    match term.type:
        case IntType(width=width):
            return (
                width == 1 and held == expected if isinstance(expected, bool) else _same_residue(held, expected, width)
            )
        case IndexType():
            return isinstance(expected, int) and not isinstance(expected, bool) and held == expected
        case FloatType(name=name):
            return not isinstance(expected, bool) and _same_float(float(held), expected, name)
        case OpaqueType():
            return False


def _same_residue(held: int | float, expected: int | float, width: int) -> bool:
    return isinstance(expected, int) and (int(held) - expected) % (1 << width) == 0


def _same_float(held: float, expected: int | float, name: str) -> bool:
    """Zeros of different sign are not the same, NaN is NaN, and an integer is not rounded."""
    try:
        wanted = float(expected)
    except OverflowError:
        return False
    rounded = wanted if name == "f64" or math.isnan(wanted) else round_to(wanted, name, "to_nearest_even")
    exact = isinstance(expected, float) or rounded == expected
    return exact and same_value(held, rounded)


def signed(term: Term) -> int | float | None:
    """The value of a literal, integers in two's complement; None for any other term."""
    held = literal(term)
    if held is None or not isinstance(term.type, IntType):
        return held
    half = 1 << (term.type.width - 1)
    return (int(held) & (2 * half - 1) ^ half) - half
