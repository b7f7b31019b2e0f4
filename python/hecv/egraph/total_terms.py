"""Total terms: the view of the e-graph, in which values have no poison and operators no flags.

Flags that make poison (`nsw`, `exact`, ...) are dropped: they change no value. An operator that may compute something
else than its semantics says (fast-math licences) keeps its flags and is uninterpreted; so is one that shows the payload
of a NaN, of which values equal up to that payload say nothing.

A literal NaN is one value, whatever its payload.

`affine` operators compute exact integers, others on `index` bit-vectors. Here the two are different types, `exact` and
`index`, with casts `to-exact` (the signed value) and `to-bits` (modulo `2**width`) between them: an equality modulo
`2**width` says nothing of exact integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from msgspec import Struct

from hecv.base.term import Attributes, Term
from hecv.base.types import IndexType, ScalarType
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import POISON_FLAGS
from hecv.ops.fastmath_flags import licences_of

TO_EXACT: Final = "to-exact"
TO_BITS: Final = "to-bits"


@final
class ExactType(Struct, frozen=True):
    """The type of exact integers."""

    def __str__(self) -> str:
        return "exact"


EXACT: Final = ExactType()
ValueType = ScalarType | ExactType


class Symbol(NamedTuple):
    """The label of a node: an operator or leaf without flags, at certain types.

    `unknown`: uninterpreted, equal only by congruence.
    """

    op: str
    attrs: Attributes
    type: ValueType
    operands: tuple[ValueType, ...]
    unknown: bool = False


class Entry(NamedTuple):
    """A node of a `Dag`; operands are positions of earlier entries."""

    symbol: Symbol
    args: tuple[int, ...]


class Dag(Struct):
    """Hash-consed entries, operands before users, made from terms."""

    entries: list[Entry]
    _numbers: dict[Entry, int]
    _of_term: dict[int, int]

    @staticmethod
    def empty() -> Dag:
        """A graph without entries."""
        return Dag([], {}, {})

    def add(self, entry: Entry) -> int:
        """The position of an entry."""
        number = self._numbers.setdefault(entry, len(self.entries))
        if number == len(self.entries):
            self.entries.append(entry)
        return number

    def enter(self, root: Term) -> int:
        """The position of a term's value, as a bit-vector for type `index`; not recursive, so depth is no limit."""
        known = self._of_term
        stack = [] if root.id in known else [root]
        while stack:
            term = stack[-1]
            missing = [] if term.id in known else [a for a in reversed(term.args) if a.id not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if term.id not in known:
                known[term.id] = self._enter(term)
        return self._as(known[root.id], root.type)

    def _enter(self, term: Term) -> int:
        operator = OPERATORS.get(term.op)
        exact = operator is not None and operator.exact
        types = tuple([wanted(a.type, exact) if exact else a.type for a in term.args])
        attrs, unknown = _attributes(term)
        args = tuple([self._as(self._of_term[a.id], t) for a, t in zip(term.args, types, strict=True)])
        return self.add(Entry(Symbol(term.op, attrs, wanted(term.type, exact), types, unknown), args))

    def _as(self, number: int, type_: ValueType) -> int:
        entry = self.entries[number]
        if entry.symbol.type is type_ or entry.symbol.type == type_:
            return number
        if entry.symbol.op == "const" and type_ == EXACT:
            return self.add(Entry(Symbol("const", entry.symbol.attrs, EXACT, ()), ()))
        op = TO_EXACT if type_ == EXACT else TO_BITS
        return self.add(Entry(Symbol(op, (), type_, (entry.symbol.type,)), (number,)))


def wanted(type_: ScalarType, exact: bool) -> ValueType:
    """The type at which an operator takes or makes a value of `type_`."""
    return EXACT if exact and isinstance(type_, IndexType) else type_


def _attributes(term: Term) -> tuple[Attributes, bool]:
    """The attributes that matter to the value, and whether nothing is known of the operator."""
    if exposes(term):
        return (*term.attrs, ("term", term.id)), True
    if not term.attrs:
        return (), False
    if term.op == "const":
        return (("value", term.attr("value")),), False
    kept: list[tuple[str, int | str | bool | tuple[int, ...]]] = []
    for name, value in term.attrs:
        if name == "fastmath":
            licences = sorted(licences_of(((name, value),)))
            kept += [(name, ",".join(licences))] if licences else []
        elif name not in POISON_FLAGS:
            kept.append((name, value))
    return tuple(kept), any(name == "fastmath" for name, _ in kept)


def reachable(entries: Sequence[Entry], roots: Sequence[int]) -> list[int]:
    """The positions that `roots` depend on, in order."""
    needed: set[int] = set()
    stack = list(roots)
    while stack:
        number = stack.pop()
        if number not in needed:
            needed.add(number)
            stack.extend(entries[number].args)
    return sorted(needed)


def literal_of(symbol: Symbol) -> int | float | None:
    """The value of a literal, None for any other symbol."""
    if symbol.op != "const":
        return None
    value = dict(symbol.attrs)["value"]
    return float.fromhex(value) if isinstance(value, str) else int(value)  # type: ignore[arg-type]


def literal_symbol(value: int | float, type_: ValueType) -> Symbol:
    """The symbol of a literal."""
    attribute = value.hex() if isinstance(value, float) else value
    return Symbol("const", (("value", attribute),), type_, ())


def width_of(type_: ValueType, index_width: int) -> int:
    """The number of bits of an integer type; 0 for floats and exact integers."""
    return index_width if isinstance(type_, IndexType) else getattr(type_, "width", 0)
