"""Type inference for a claim: which of its parts have the same type, and which types each part may have.

Every part of both sides has a type slot; operators unify slots, or give them a type or a domain. A law ranges over the
slots that stay free.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, ScalarType
from hecv.ops import OPERATORS
from hecv.ops.index import SYNONYMS
from hecv.patterns.calculus.claim_unfolding import NotStatic
from hecv.patterns.equations.equations import Kind

Domain = Literal["bits", "float", "any"]

FLAGS: Final = frozenset({"overflow", "exact", "nneg", "disjoint"})
"""Attributes that only make poison, and change no value."""

BITS_OF: Final = frozenset({"arith.cmpi", "arith.cmpf", "math.isfinite", "math.isinf", "math.isnan", "math.isnormal"})
"""Operators whose result is of type i1."""

CARRIES: Final = frozenset({"arith.addui_extended", "arith.subui_extended"})
"""Operators whose second result is of type i1."""

CASTS: Final[Mapping[str, tuple[Domain, Domain, str]]] = {
    "arith.extui": ("bits", "bits", "wider"),
    "arith.extsi": ("bits", "bits", "wider"),
    "arith.trunci": ("bits", "bits", "narrower"),
    "arith.index_cast": ("bits", "bits", "index"),
    "arith.index_castui": ("bits", "bits", "index"),
    "arith.extf": ("float", "float", "wider"),
    "arith.truncf": ("float", "float", "narrower"),
    "arith.sitofp": ("bits", "float", "integer"),
    "arith.uitofp": ("bits", "float", "integer"),
    "arith.fptosi": ("float", "bits", "integer"),
    "arith.fptoui": ("float", "bits", "integer"),
    "arith.bitcast": ("any", "any", "same"),
}
"""The types that casts take and give, and the relation of the two."""

POISON: Final = "ub.poison"

FORMAT_BITS: Final = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_INTEGER: Final = re.compile(r"i([1-9]\d*)")


def type_of(text: str) -> ScalarType | None:
    """A scalar type by its text in MLIR; None for other types."""
    matched = _INTEGER.fullmatch(text)
    if matched:
        return IntType(int(matched[1]))
    if text == "index":
        return INDEX
    return FloatType(text) if text in FORMAT_BITS else None


@dataclass(frozen=True, slots=True)
class Signature:
    """The type slots of an operator's operands and result (equal numbers are one slot); the type or domain of each."""

    operands: tuple[int, ...]
    result: int
    slots: Mapping[int, ScalarType | Domain]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with the attributes that determine its value, and for several results, which one."""

    op: str
    attrs: tuple[tuple[str, int | str | bool], ...]


@cache
def signature(op: str, arity: int, result: int) -> Signature:
    """The type signature of an operator.

    Raises: NotStatic if it is no operator on scalars with known semantics.
    """
    if op == POISON and not arity:
        return Signature((), 0, {0: "any"})
    name = SYNONYMS.get(op, op)
    operator = OPERATORS.get(name)
    if operator is None or operator.exact or name.startswith(("control.", "ub.")) or not arity:
        raise NotStatic(f"{op} has no meaning as scalar code")
    domains = _operands(name)
    if len(domains) != arity:
        raise NotStatic(f"{op} has {len(domains)} operands, and {arity} are given")
    if name == "arith.select":
        return Signature((0, 1, 1), 1, {0: BOOL, 1: "any"})
    if name in CASTS:
        return Signature((0,), 1, {0: CASTS[name][0], 1: CASTS[name][1]})
    if name == "math.fpowi":
        return Signature((0, 1), 0, {0: "float", 1: "bits"})
    own: ScalarType | Domain = INDEX if op != name else domains[0]
    if name in BITS_OF or (name in CARRIES and result == 1):
        return Signature((0,) * arity, 1, {0: own, 1: BOOL})
    return Signature((0,) * arity, 0, {0: own})


def _operands(name: str) -> tuple[Domain, ...]:
    """The domains of the operands, as the operator's meaning declares them."""
    known: dict[str, Domain] = {"Bits": "bits", "Float": "float"}
    given = inspect.signature(OPERATORS[name].semantics).parameters.values()
    return tuple(
        known.get(str(p.annotation), "any") for p in given if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    )


@cache
def options(op: str) -> frozenset[str]:
    """All attributes of an operator."""
    given = inspect.signature(OPERATORS[op].semantics).parameters.values()
    return frozenset(p.name for p in given if p.kind is inspect.Parameter.KEYWORD_ONLY) - {"to"}


@cache
def required(op: str) -> frozenset[str]:
    """The attributes without which an operator has no value."""
    given = inspect.signature(OPERATORS[op].semantics).parameters.values()
    bare = frozenset(p.name for p in given if p.default is inspect.Parameter.empty)
    return options(op) & bare


@dataclass(slots=True)
class Slots:
    """Type slots under unification, with what is known of each."""

    _parent: list[int] = field(default_factory=list[int])
    _known: dict[int, ScalarType | Domain] = field(default_factory=dict[int, "ScalarType | Domain"])

    def new(self, known: ScalarType | Domain = "any") -> int:
        """A new slot, with what is known of it."""
        self._parent.append(len(self._parent))
        self._known[len(self._parent) - 1] = known
        return len(self._parent) - 1

    def find(self, slot: int) -> int:
        """The representative of a slot."""
        while self._parent[slot] != slot:
            slot = self._parent[slot]
        return slot

    def known(self, slot: int) -> ScalarType | Domain:
        """What is known of the type."""
        return self._known[self.find(slot)]

    def join(self, one: int, other: int) -> None:
        """Unifies two slots.

        Raises: NotStatic if no type fits both.
        """
        one, other = self.find(one), self.find(other)
        if one != other:
            self._known[one] = _meet(self._known[one], self._known.pop(other))
            self._parent[other] = one

    def apply(self, op: str, operands: tuple[int, ...], result: int) -> int:
        """The slot of the result of an operator.

        Raises: NotStatic.
        """
        found = signature(op, len(operands), result)
        made: dict[int, int] = {}
        for key, slot in zip(found.operands, operands, strict=True):
            if key in made:
                self.join(made[key], slot)
            else:
                made[key] = slot
                self._limit(slot, found.slots[key])
        if found.result not in made:
            made[found.result] = self.new(found.slots[found.result])
        return made[found.result]

    def _limit(self, slot: int, known: ScalarType | Domain) -> None:
        home = self.find(slot)
        if self._known[home] != known:
            self._known[home] = _meet(self._known[home], known)


def _meet(one: ScalarType | Domain, other: ScalarType | Domain) -> ScalarType | Domain:
    if one == "any" or one == other:
        return other
    if other == "any":
        return one
    if isinstance(one, str) and not isinstance(other, str):
        one, other = other, one
    if not isinstance(one, str) and isinstance(other, str) and in_domain(one, other):
        return one
    raise NotStatic(f"it has a part that is both {one} and {other}")


def in_domain(type_: ScalarType, domain: Domain) -> bool:
    """Whether the type is in the domain."""
    if domain == "float":
        return isinstance(type_, FloatType)
    return isinstance(type_, IntType | IndexType) or (domain == "any" and isinstance(type_, FloatType))


def fits(op: str, operands: Sequence[Kind], result: Kind) -> bool:
    """Whether a cast may lead from one type to the other; true for operators that are no casts."""
    if op not in CASTS:
        return True
    (operand,) = operands
    narrow, wide = _bits(operand), _bits(result)
    if narrow is None or wide is None:
        return False
    match CASTS[op][2]:
        case "wider":
            return not _has_index(operand, result) and narrow < wide
        case "narrower":
            return not _has_index(operand, result) and narrow > wide
        case "index":
            return isinstance(operand.type, IndexType) != isinstance(result.type, IndexType)
        case "integer":
            return not _has_index(operand, result)
        case _:
            return not _has_index(operand, result) and narrow == wide


def _has_index(*kinds: Kind) -> bool:
    return any(isinstance(kind.type, IndexType) for kind in kinds)


def _bits(kind: Kind) -> int | None:
    """The bits of a type; None for a format that laws do not speak of."""
    return FORMAT_BITS.get(kind.type.name) if isinstance(kind.type, FloatType) else kind.width
