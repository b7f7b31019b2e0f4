"""Ops that change the sign bit of a float, and its bits as an integer, in one form: arithmetic on bits.

`negf`, `absf` and `copysign` without flags change one bit, of NaN too (LLVM LangRef, behavior of floating-point NaN
values). So the bits of what they make are those of what they are given, with that bit flipped, cleared or copied. What
else makes a float is not looked into: its bits are its `arith.bitcast`.
"""

from __future__ import annotations

import struct
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IntType
from hecv.graph.rewriting import rewrite
from hecv.graph.text import roots
from hecv.graph.tree import Block, walk

WIDTHS: Final = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_PACKED: Final = {"f16": "e", "f32": "f", "f64": "d"}
_SIGNS: Final = frozenset({"arith.negf", "math.absf", "math.copysign"})


def with_sign_bits(pool: TermPool, body: Block) -> Block:
    """The block with the bits of floats, and floats made of bits, in one form.

    Ensures: it does the same on every input.
    """
    terms = postorder(tuple([t for s in walk(body) for t in roots(s)]))
    shown = any(t.op == "math.copysign" or _shows(t) for t in terms)
    return rewrite(body, _Bits(pool).value) if shown else body


def _shows(term: Term) -> bool:
    """Whether a term is the bits of a float."""
    return term.op == "arith.bitcast" and isinstance(term.type, IntType) and _width(term.args[0]) is not None


def _width(term: Term) -> int | None:
    return WIDTHS.get(term.type.name) if isinstance(term.type, FloatType) else None


class _Parts(Struct, frozen=True):
    """The bits of a float: those of `rest` but for the sign bit, which is that of `sign`, or 0 where that is None, and
    the other one where it is `flipped`."""

    rest: Term
    sign: Term | None
    flipped: bool = False


class _Bits:
    """Rewrites terms of one pool."""

    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._memo: dict[int, Term] = {}
        self._parts: dict[int, _Parts] = {}

    def value(self, root: Term) -> Term:
        """The term in that form."""
        for node in postorder((root,)) if root.id not in self._memo else ():
            if node.id not in self._memo:
                args = tuple([self._memo[a.id] for a in node.args])
                made = node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs)
                if isinstance(node.type, FloatType) and node.type.name in WIDTHS:
                    self._parts[node.id] = self._parts_of(node, made, node.type.name)
                self._memo[node.id] = self._formed(node, made)
        return self._memo[root.id]

    def _formed(self, node: Term, made: Term) -> Term:
        """A node, which is `made` where its operands are in that form."""
        if _shows(node) and not node.attrs:
            return self._bits(self._parts[node.args[0].id])
        if node.id not in self._parts or node.attrs or node.op not in _SIGNS:
            return made
        bits = self._bits(self._parts[node.id]) if node.op == "math.copysign" or _is_made(made.args[0]) else made
        whole = bits.op == "arith.bitcast" and bits.args[0] is made
        return made if bits is made or whole else self._pool.make("arith.bitcast", (bits,), node.type)

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
        """Where the bits of a float are from; `made` is the node where its operands are in that form."""
        value, kind = literal(node), IntType(WIDTHS[name])
        if isinstance(value, float) and value == value:
            encoded, sign = _encoded(value, name), 1 << (kind.width - 1)
            return _Parts(self._pool.integer(encoded % sign, kind), None, encoded >= sign)
        if _is_made(made):
            return _Parts(made.args[0], made.args[0])
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


def _is_proper(term: Term) -> bool:
    """Whether a float is no poison as the term shows: what its bits are not made of may be left out."""
    return all(
        t.op in ("const", "arg", "arith.bitcast") or (t.op in _SIGNS and not t.attrs) for t in postorder((term,))
    )


def _is_made(term: Term) -> bool:
    """Whether a float is made of bits."""
    return term.op == "arith.bitcast" and isinstance(term.args[0].type, IntType) and not term.attrs


def _encoded(value: float, name: str) -> int:
    """The bits of a number in its format."""
    if name == "bf16":
        return int.from_bytes(struct.pack(">f", value), "big") >> 16
    return int.from_bytes(struct.pack(f">{_PACKED[name]}", value), "big")
