"""Operator kinds: what all terms of one operator at the same types share, computed once for a long program."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hecv.base.term import Attributes, Term, TermPool
from hecv.base.theory import FALSE
from hecv.base.types import IntType, ScalarType
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, Shapes, without_flags
from hecv.ops.registry import licensed
from hecv.sweep.cuts.fingerprints import Column, compile_column


class Kind(Struct, frozen=True):
    """An operator at certain types; and with certain literals, if it is poison or undefined for some operands.

    `number` is the same for all that compute the same total value. `opaque`: no total function with known semantics;
    only equal operands make it equal. `harmless`: poison exactly if one of its operands is. `folds`: has a known value
    if its operands have. `column` is None if the operator cannot be run.
    """

    number: int
    op: str
    attrs: Attributes
    type: ScalarType
    commutative: bool
    opaque: bool
    harmless: bool
    folds: bool
    depends: bool
    column: Column | None


class Kinds:
    """The kinds of terms of any pool."""

    def __init__(self, index_width: int) -> None:
        self._index_width: Final = index_width
        self._shapes: Final = Shapes(index_width)
        self._made: Final[dict[tuple[object, ...], Kind]] = {}
        """By the types, and by their identity."""
        self._numbers: Final[dict[tuple[object, ...], int]] = {}
        self._types: Final[dict[ScalarType, int]] = {}
        self._order: Final[list[ScalarType]] = []
        self._by_identity: Final[dict[int, int]] = {}
        self._alive: Final[list[ScalarType]] = []
        """What is known by identity here has to stay alive."""
        self.known: Final[list[Kind]] = []
        """A kind of each number."""

    def of(self, term: Term, args: list[Term]) -> Kind:
        """The kind of the operator at the root of `term` on other operands of the same types."""
        key = (term.op, term.attrs, id(term.type), *[id(a.type) for a in args])
        kind = self._made.get(key)
        if kind is None:
            self._alive += [term.type, *[a.type for a in args]]
            same = (term.op, term.attrs, term.type, *[a.type for a in args])
            kind = self._made.get(same)
            if kind is None:
                kind = self._made[same] = self._make(term, [_variable(a.type, k) for k, a in enumerate(args)])
            self._made[key] = kind
        if not kind.depends:
            return kind
        literals = (kind.number, term.attrs, *[a.attrs if a.op == "const" else None for a in args])
        special = self._made.get(literals)
        if special is None:
            special = self._made[literals] = self._make(term, args)
        return special

    def type_number(self, type_: ScalarType) -> int:
        """A number for a type."""
        known = self._by_identity.get(id(type_))
        if known is None:
            known = self._types.setdefault(type_, len(self._types))
            if known == len(self._order):
                self._order.append(type_)
            self._by_identity[id(type_)] = known
            self._alive.append(type_)
        return known

    def sizes(self) -> tuple[int, int]:
        """The numbers of kinds and of types."""
        return len(self.known), len(self._order)

    def type(self, number: int) -> ScalarType:
        """The type of a number."""
        return self._order[number]

    def _make(self, term: Term, args: list[Term]) -> Kind:
        scratch = TermPool()
        operands = tuple([_copy(scratch, a, k) for k, a in enumerate(args)])
        plain = scratch.make(term.op, operands, term.type, without_flags(term.attrs))
        flagged = scratch.make(term.op, operands, term.type, term.attrs)
        operator = OPERATORS.get(term.op)
        proper = (True,) * len(args)
        bare, full = self._shapes.of(plain, proper), self._shapes.of(flagged, proper)
        defined = bare.poison is FALSE and bare.ub is FALSE
        known = operator is not None and not operator.uninterpreted and term.op not in CHOOSING
        opaque = not known or licensed(term.attrs) or exposes(plain) or not defined
        strict = operator is not None and operator.strict and term.op != "arith.select"
        number = self._number(plain)
        return Kind(
            number,
            term.op,
            plain.attrs,
            term.type,
            operator is not None and operator.facts.commutative and not opaque,
            opaque,
            strict and full.poison is FALSE,
            not opaque and isinstance(term.type, IntType),
            full.poison is not FALSE or full.ub is not FALSE,
            self.known[number].column,
        )

    def _number(self, plain: Term) -> int:
        key = (plain.op, plain.attrs, plain.type, *[a.type for a in plain.args])
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self.known):
            column = compile_column(plain, self._index_width)
            self.known.append(
                Kind(number, plain.op, plain.attrs, plain.type, False, False, False, False, False, column)
            )
        return number


def _variable(type_: ScalarType, position: int) -> Term:
    return TermPool().make("leaf", (), type_, (("number", position),))


def _copy(scratch: TermPool, term: Term, position: int) -> Term:
    """A literal as it is, all else as a leaf."""
    if term.op == "const":
        return scratch.make("const", (), term.type, term.attrs)
    return scratch.make("leaf", (), term.type, (("number", position), ("proper", True)))
