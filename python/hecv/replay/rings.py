"""Polynomials of small terms: two terms with one polynomial have one value, at every width.

Sums, differences and products are polynomials modulo `2**width`, what bitwise operators make polynomials of bits
(`hecv.base.polynomials`); any other operator is a variable, the same for the same operator on operands of the same
polynomials.
"""

from __future__ import annotations

from hecv.base.polynomials import (
    Boolean,
    Ring,
    boolean_product,
    boolean_sum,
    boolean_union,
    ring_product,
    ring_sum,
)
from hecv.base.term import Term, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.replay.closure import symbol_of

SUMS = {"arith.addi": 1, "arith.subi": -1}
PRODUCTS = frozenset({"arith.muli"})
SHIFT = "arith.shli"
BITWISE = frozenset({"arith.andi", "arith.ori", "arith.xori"})


class Polynomials:
    """The polynomials of terms; a term is known by the number of its own."""

    def __init__(self, index_width: int) -> None:
        self._index_width = index_width
        self._numbers: dict[object, int] = {}
        self._rings: dict[int, Ring] = {}
        self._bits: dict[int, Boolean] = {}

    def same(self, left: Term, right: Term) -> bool:
        """Whether both terms have one polynomial."""
        found: dict[int, int] = {}
        for term in postorder((left, right)):
            found[term.id] = self._number(term, [found[a.id] for a in term.args])
        return left.type == right.type and found[left.id] == found[right.id]

    def _number(self, term: Term, args: list[int]) -> int:
        width = self._width(term)
        if not width:
            return self._numbers.setdefault((symbol_of(term), *args), len(self._numbers))
        value = literal(term)
        if value is not None:
            return self._of_ring(term, {(): int(value) % (1 << width)} if int(value) % (1 << width) else {})
        if [a.type for a in term.args] != [term.type] * 2:
            return self._atom(term, args)
        if term.op in SUMS:
            parts = [(self._rings[args[0]], 1), (self._rings[args[1]], SUMS[term.op])]
            return self._of_ring(term, ring_sum(parts, 1 << width))
        if term.op == SHIFT:
            return self._shifted(term, args, width)
        if term.op in PRODUCTS:
            product = ring_product([self._rings[k] for k in args], 1 << width)
            return self._atom(term, args) if product is None else self._of_ring(term, product)
        if term.op in BITWISE:
            bits = self._bitwise(term.op, [self._boolean(k, width) for k in args], (1 << width) - 1)
            return self._atom(term, args) if bits is None else self._of_bits(term, bits, width)
        return self._atom(term, args)

    def _shifted(self, term: Term, args: list[int], width: int) -> int:
        """By a literal below the width it is a product."""
        by = literal(term.args[1])
        if not isinstance(by, int) or not 0 <= by < width:
            return self._atom(term, args)
        return self._of_ring(term, ring_sum([(self._rings[args[0]], 1 << by)], 1 << width))

    def _bitwise(self, op: str, operands: list[Boolean], ones: int) -> Boolean | None:
        match op:
            case "arith.andi":
                return boolean_product(operands, ones)
            case "arith.ori":
                return boolean_union(operands, ones)
            case _:
                return boolean_sum(operands)

    def _boolean(self, number: int, width: int) -> Boolean:
        """The polynomial of bits of a number: its own, that of a literal, or a variable."""
        known = self._bits.get(number)
        if known is not None:
            return known
        ring = self._rings[number]
        if not ring:
            return {}
        if ring.keys() == {()}:
            return {frozenset(): ring[()]}
        return {frozenset((number,)): (1 << width) - 1}

    def _of_ring(self, term: Term, ring: Ring) -> int:
        """The number of a polynomial modulo `2**width`; one of a single variable is that variable."""
        if len(ring) == 1:
            ((monomial, coefficient),) = ring.items()
            if coefficient == 1 and len(monomial) == 1:
                return monomial[0]
        number = self._numbers.setdefault(("ring", term.type, frozenset(ring.items())), len(self._numbers))
        self._rings.setdefault(number, ring)
        return number

    def _of_bits(self, term: Term, bits: Boolean, width: int) -> int:
        if not bits or bits.keys() == {frozenset[int]()}:
            value = bits.get(frozenset(), 0)
            return self._of_ring(term, {(): value} if value else {})
        if len(bits) == 1:
            ((monomial, mask),) = bits.items()
            if mask == (1 << width) - 1 and len(monomial) == 1:
                return next(iter(monomial))
        if len(bits) == 2 and set(bits.values()) == {(1 << width) - 1} and {len(m) for m in bits} == {0, 1}:
            return self._complement(term, bits, width)
        number = self._numbers.setdefault(("bits", term.type, frozenset(bits.items())), len(self._numbers))
        self._bits.setdefault(number, bits)
        self._rings.setdefault(number, {(number,): 1})
        return number

    def _complement(self, term: Term, bits: Boolean, width: int) -> int:
        """All bits of a variable turned over: `-1 - x`."""
        variable = next(k for monomial in bits for k in monomial)
        parts = [(self._rings[variable], -1), ({(): 1}, -1)]
        number = self._of_ring(term, ring_sum(parts, 1 << width))
        self._bits.setdefault(number, bits)
        return number

    def _atom(self, term: Term, args: list[int]) -> int:
        number = self._numbers.setdefault((symbol_of(term), *args), len(self._numbers))
        self._rings.setdefault(number, {(number,): 1})
        return number

    def _width(self, term: Term) -> int:
        """The number of bits; 0 where no ring is known."""
        match term.type:
            case IntType(width):
                return width
            case IndexType():
                return self._index_width
            case _:
                return 0
