"""Float ops that change a sign bit, and the bits of a float as an integer, become arithmetic on bits.

    bitcast(negf %x)   =>   xori (bitcast %x), 0x80000000      for f32

`negf`, `absf` and `copysign` without flags change one bit, of a NaN too (LLVM LangRef, behavior of floating-point NaN
values). So the bits of the result are those of the operand with that bit flipped, cleared or copied. A select by a sign
bit between floats that differ in their sign alone copies it. Any other float is not looked into: its bits are its
`arith.bitcast`.

A number with the sign of another float (`copysign 1.0, x`) that is compared with a number is a test of that sign bit,
if the two signs compare differently.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, FloatType, IntType
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, roots, walk

WIDTHS: Final = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
"""The bits of each float format."""
_PACKED: Final = {"f16": "e", "f32": "f", "f64": "d"}
_SIGNS: Final = frozenset({"arith.negf", "math.absf", "math.copysign"})
_PROPER: Final = frozenset({"const", "arg", "arith.bitcast", "arith.select", "arith.cmpi"})
_COMPARED: Final[dict[str, Callable[[float, float], bool]]] = {
    **{order + name: getattr(operator, name) for order in "ou" for name in ("eq", "lt", "le", "gt", "ge")},
    "one": operator.ne,
    "une": operator.ne,
}
"""Predicates on numbers, of which none is NaN."""


def lower_sign_ops(pool: TermPool, body: Block) -> Block:
    """The block with the bits of floats, and floats made of bits, in one form.

    Ensures: it does the same on every input.
    """
    terms = postorder(tuple([t for s in walk(body) for t in roots(s)]))
    shown = any(t.op == "math.copysign" or _shows(t) for t in terms)
    return rewrite(body, _SignOpLowering(pool).value) if shown else body


def _shows(term: Term) -> bool:
    """True if a term is the bits of a float."""
    return term.op == "arith.bitcast" and isinstance(term.type, IntType) and _width(term.args[0]) is not None


def _width(term: Term) -> int | None:
    return WIDTHS.get(term.type.name) if isinstance(term.type, FloatType) else None


class _Parts(Struct, frozen=True):
    """The bits of a float: those of `rest` except the sign bit, which is that of `sign` (0 if None), negated if
    `flipped`."""

    rest: Term
    sign: Term | None
    flipped: bool = False


class _SignOpLowering:
    """Rewrites terms of one pool."""

    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._memo: dict[int, Term] = {}
        self._parts: dict[int, _Parts] = {}

    def value(self, root: Term) -> Term:
        """The rewritten term."""
        for node in postorder((root,)) if root.id not in self._memo else ():
            if node.id not in self._memo:
                args = tuple([self._memo[a.id] for a in node.args])
                made = node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs)
                if isinstance(node.type, FloatType) and node.type.name in WIDTHS:
                    self._parts[node.id] = self._parts_of(node, made, node.type.name)
                self._memo[node.id] = self._formed(node, made)
        return self._memo[root.id]

    def _formed(self, node: Term, made: Term) -> Term:
        """The rewritten node; `made` is the node over rewritten operands."""
        if _shows(node) and not node.attrs:
            return self._bits(self._parts[node.args[0].id])
        if node.op == "arith.cmpf":
            return self._sign_test(node) or made
        if node.id in self._parts and self._selected(node) is not None:
            return self._pool.make("arith.bitcast", (self._bits(self._parts[node.id]),), node.type)
        if node.id not in self._parts or node.attrs or node.op not in _SIGNS:
            return made
        bits = self._bits(self._parts[node.id]) if node.op == "math.copysign" or _is_made(made.args[0]) else made
        whole = bits.op == "arith.bitcast" and bits.args[0] is made
        return made if bits is made or whole else self._pool.make("arith.bitcast", (bits,), node.type)

    def _sign_test(self, node: Term) -> Term | None:
        """A comparison of numbers, one of which has a float's sign, as a test of that sign bit; None if it is none.

        Ensures: it is poison where the comparison is.
        """
        if [name for name, _ in node.attrs] != ["predicate"]:
            return None
        left, right = map(self._by_sign, node.args)
        compare = _COMPARED.get(str(dict(node.attrs)["predicate"]))
        if compare is None or len(left) * len(right) != 2:
            return None
        positive, negative = (compare(a, b) for a in left for b in right)
        if positive == negative:
            return None
        parts = self._parts[node.args[0 if len(left) == 2 else 1].id]
        assert parts.sign is not None and isinstance(parts.sign.type, IntType)
        test = (("predicate", "slt" if negative != parts.flipped else "sge"),)
        zero = self._pool.integer(0, parts.sign.type)
        return self._pool.make("arith.cmpi", (parts.sign, zero), BOOL, test)

    def _by_sign(self, operand: Term) -> tuple[float, ...]:
        """The number that a float is; with another float's sign, the two that it may be, the positive one first.
        Nothing if it is not known, or NaN."""
        parts = self._parts.get(operand.id)
        rest = None if parts is None else literal(parts.rest)
        if parts is None or not isinstance(rest, int):
            return ()
        name = str(operand.type)
        magnitude = _decoded(rest % (1 << (WIDTHS[name] - 1)), name)
        if magnitude != magnitude:
            return ()
        if parts.sign is None:
            return (-magnitude if parts.flipped else magnitude,)
        return (magnitude, -magnitude)

    def _selected(self, node: Term) -> _Parts | None:
        """The bits of a select by a sign bit between floats whose signs are known and differ, and which differ in
        nothing else; None for any other float."""
        if node.op != "arith.select":
            return None
        first, second = (self._parts[a.id] for a in node.args[1:])
        known = first.sign is None and second.sign is None and first.flipped != second.flipped
        tested = _tested(self._memo[node.args[0].id]) if known and first.rest is second.rest else None
        if tested is None or tested[0].type != first.rest.type:
            return None
        sign, negative = tested
        return _Parts(first.rest, sign, first.flipped != negative)

    def _bits(self, parts: _Parts) -> Term:
        """The bits of a float as one term."""
        kind = parts.rest.type
        assert isinstance(kind, IntType)
        sign = 1 << (kind.width - 1)

        def masked(op: str, operand: Term, mask: int) -> Term:
            return self._pool.make(op, (operand, self._pool.integer(mask, kind)), kind)

        if parts.sign is None:
            return (
                masked("arith.ori", parts.rest, sign) if parts.flipped else masked("arith.andi", parts.rest, sign - 1)
            )
        signed = masked("arith.xori", parts.sign, sign) if parts.flipped else parts.sign
        if parts.sign is parts.rest:
            return signed
        both = masked("arith.andi", parts.rest, sign - 1), masked("arith.andi", signed, sign)
        return self._pool.make("arith.ori", both, kind)

    def _parts_of(self, node: Term, made: Term, name: str) -> _Parts:
        """The origin of the bits of a float; `made` is the node over rewritten operands."""
        value, kind = literal(node), IntType(WIDTHS[name])
        if isinstance(value, float) and value == value:
            encoded, sign = _encoded(value, name), 1 << (kind.width - 1)
            return _Parts(self._pool.integer(encoded % sign, kind), None, encoded >= sign)
        if _is_made(made):
            return _Parts(made.args[0], made.args[0])
        if (selected := self._selected(node)) is not None:
            return selected
        if node.op not in _SIGNS or node.attrs:
            bits = self._pool.make("arith.bitcast", (made,), kind)
            return _Parts(bits, bits)
        first = self._parts[node.args[0].id]
        if node.op == "arith.negf":
            return replace(first, flipped=not first.flipped)
        second = _Parts(first.rest, None) if node.op == "math.absf" else self._parts[node.args[1].id]
        left = first.sign is None or first.sign is first.rest or _is_proper(node.args[0])
        if left and (node.op == "math.absf" or second.sign is second.rest or _is_proper(node.args[1])):
            return _Parts(first.rest, second.sign, second.flipped)
        bits = self._pool.make("arith.bitcast", (made,), kind)
        return _Parts(bits, bits)


def _tested(condition: Term) -> tuple[Term, bool] | None:
    """The bits whose sign bit a condition tests, and whether it holds for a negative sign; None for any other
    condition."""
    if condition.op != "arith.cmpi" or not isinstance(condition.args[0].type, IntType):
        return None
    bits, bound = condition.args
    kind, value, predicate = bits.type, literal(bound), condition.attr("predicate")
    assert isinstance(kind, IntType)
    if (predicate, value) in (("slt", 0), ("sle", (1 << kind.width) - 1)):
        return bits, True
    if (predicate, value) in (("sge", 0), ("sgt", (1 << kind.width) - 1)):
        return bits, False
    masked = bits.op == "arith.andi" and literal(bits.args[1]) == 1 << (kind.width - 1)
    if masked and value == 0 and predicate in ("eq", "ne"):
        return bits.args[0], predicate == "ne"
    return None


def _is_proper(term: Term) -> bool:
    """True if the operators of a float show that it is not poison: then what its bits are not made of may be left
    out."""
    return all(t.op in _PROPER or (t.op in _SIGNS and not t.attrs) for t in postorder((term,)))


def _is_made(term: Term) -> bool:
    """True if a float is made of bits."""
    return term.op == "arith.bitcast" and isinstance(term.args[0].type, IntType) and not term.attrs


def _decoded(bits: int, name: str) -> float:
    """The float with certain bits."""
    if name == "bf16":
        return struct.unpack(">f", (bits << 16).to_bytes(4, "big"))[0]
    return struct.unpack(f">{_PACKED[name]}", bits.to_bytes(WIDTHS[name] // 8, "big"))[0]


def _encoded(value: float, name: str) -> int:
    """The bits of a number in its format."""
    if name == "bf16":
        return int.from_bytes(struct.pack(">f", value), "big") >> 16
    return int.from_bytes(struct.pack(f">{_PACKED[name]}", value), "big")
