"""A block of a program under rewriting, as a subject of patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from hecv.base.term import TermPool
from hecv.base.types import INDEX, FloatType, IntType, ScalarType
from hecv.mlir.ssa.attribute_data import TypeData
from hecv.mlir.ssa.ssa_graph import Op, Program
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.operator_names import families, in_order
from hecv.patterns.calculus.pattern_ast import Declaration, Value
from hecv.patterns.machine.term_subject import equals

_INTEGER: Final = re.compile(r"[su]?i(\d+)")
_NO_FLAGS: Final = frozenset({("fastmath", "none"), ("overflow", "none")})
SPELLED: Final = {"overflowFlags": "overflow", "isExact": "exact", "nonNeg": "nneg", "isDisjoint": "disjoint"}
"""Names of MLIR attributes in rules."""


class BlockSubject(Struct):
    """The values of one block. Values from outside have no op here, except constants, which are known.

    Patterns do not cross blocks, so a match consists of ops that run one after the other.
    """

    program: Program
    declared: Mapping[str, Declaration]
    block: int
    _pool: TermPool

    @staticmethod
    def of(program: Program, declared: Mapping[str, Declaration], block: int) -> BlockSubject:
        """The block with a number."""
        return BlockSubject(program, declared, block, TermPool())

    def nodes(self, value: int) -> Iterable[Node]:
        """The op of this block that makes the value; none if the value is from outside."""
        found = self.program.value(value)
        if found.op is None:
            return ()
        op = self.program.op(found.op)
        if op.block != self.block or op.number in self.program.dead:
            return ()
        return (Node(operator(op), op.operands, found.result, len(op.results)),)

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        """Whether the value is a number equal to `literal`, or a tensor filled with it; integers are compared modulo
        `2**width`."""
        held = self.program.literal(value)
        kind = scalar(self.program.value(value).type)
        if held is None or kind is None:
            return held is not None and type(held) is type(literal) and held == literal
        if isinstance(kind, FloatType):
            return equals(self._pool.real(float(held), kind), literal)
        residue = int(held) % (1 << kind.width) if isinstance(kind, IntType) else int(held)
        return equals(self._pool.integer(residue, kind), literal)

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        """An attribute of a value; None if unknown."""
        found = self.program.value(value)
        kind = found.type
        match path:
            case ("type",):
                return kind.text
            case ("elType",):
                return kind.element
            case ("width",):
                return kind.width or None
            case ("shape",) | ("shape", "dims"):
                return _extents(kind)
            case ("rank",) | ("shape", "rank"):
                return _rank(kind)
            case ("shape", position) if position.isdigit():
                return _extent(kind, int(position))
            case ("value",):
                return self.program.literal(value)
            case ("uses",):
                return sum(1 for _ in self.program.users(value))
            case ("op",):
                return None if found.op is None else self.program.op(found.op).name
            case (name,):
                return None if found.op is None else dict(_named(self.program.op(found.op))).get(name)
            case _:
                return None

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        """The families that an operator belongs to."""
        return families(operator.name, self.declared)


def operator(op: Op) -> Operator:
    """An op as the value of a function variable."""
    return Operator(op.name, attributes(op))


def attributes(op: Op) -> tuple[tuple[str, Value], ...]:
    """The attributes of an op by their names in rules, without flags that have no effect."""
    return tuple(pair for pair in _named(op) if pair not in _NO_FLAGS)


def _named(op: Op) -> Iterator[tuple[str, Value]]:
    """The attributes of an op; an op without flags has `none`."""
    for name, value in op.attributes:
        spelled = SPELLED.get(name, name)
        yield spelled, in_order(spelled, value)


def scalar(kind: TypeData) -> ScalarType | None:
    """The element type, if it has a meaning here."""
    integer = _INTEGER.fullmatch(kind.element)
    if integer is not None:
        return IntType(int(integer[1]))
    if kind.element == "index":
        return INDEX
    return FloatType(kind.element) if kind.element in ("f16", "bf16", "f32", "f64") else None


def _extents(kind: TypeData) -> Value | None:
    """The extents where all of them are known; a scalar has none."""
    if kind.shape is None:
        return () if scalar(kind) is not None and kind.text == kind.element else None
    known = tuple(n for n in kind.shape if n is not None)
    return known if len(known) == len(kind.shape) else None


def _rank(kind: TypeData) -> int | None:
    if kind.shape is not None:
        return len(kind.shape)
    return 0 if kind.text == kind.element and scalar(kind) is not None else None


def _extent(kind: TypeData, position: int) -> int | None:
    return kind.shape[position] if kind.shape is not None and position < len(kind.shape) else None
