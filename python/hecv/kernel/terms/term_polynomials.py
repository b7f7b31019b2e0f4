"""Polynomial normal form of small terms: two terms with one polynomial have one value, at every width.

Sums, differences and products are polynomials modulo `2**width`; results of bitwise operators are polynomials of bits
(`hecv.base.ring_polynomials`). Truncation keeps the last bits of a polynomial; a division by a power of two is a shift,
its remainder the bits below. Any other operator is a variable, the same for the same operator on operands with the same
polynomials. An exact integer has no polynomial: its bits are a variable, and what these stand for need not be that
integer.
"""

from __future__ import annotations

from hecv.base.ring_polynomials import (
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
from hecv.kernel.terms.congruence_closure import gives_exact, symbol_of, takes_exact

SUMS = {"arith.addi": 1, "arith.subi": -1}
PRODUCTS = frozenset({"arith.muli"})
SHIFT = "arith.shli"
QUOTIENTS = frozenset({"arith.divui", "arith.shrui"})
REMAINDER = "arith.remui"
TRUNCATION = "arith.trunci"
CASTS = frozenset({TRUNCATION, "arith.extsi", "arith.extui"})
BITWISE = frozenset({"arith.andi", "arith.ori", "arith.xori"})


FEW = 8
"""The most monomials of an expression that is truncated monomial by monomial."""


class Polynomials:
    """The polynomials of terms; terms with one polynomial have one number."""

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
        if left.type != right.type:
            return False
        if gives_exact(left) and gives_exact(right):
            return found[left.id] == found[right.id]
        return self._operand(left, found[left.id], False) == self._operand(right, found[right.id], False)

    def _number(self, term: Term, args: list[int]) -> int:
        exact = takes_exact(term)
        args = [self._operand(a, k, exact) for a, k in zip(term.args, args, strict=True)]
        if exact:
            return self._numbers.setdefault((symbol_of(term), *args), len(self._numbers))
        width = self._width(term)
        if not width:
            return self._numbers.setdefault((symbol_of(term), *args), len(self._numbers))
        value = literal(term)
        if value is not None:
            return self._of_ring(term, {(): int(value) % (1 << width)} if int(value) % (1 << width) else {})
        if term.op in CASTS:
            return self._cast(term, args[0], width)
        if [a.type for a in term.args] != [term.type] * 2:
            return self._atom(term, args)
        if term.op in SUMS:
            parts = [(self._rings[args[0]], 1), (self._rings[args[1]], SUMS[term.op])]
            return self._of_ring(term, ring_sum(parts, 1 << width))
        if term.op == SHIFT:
            return self._shifted(term, args, width)
        if term.op in QUOTIENTS or term.op == REMAINDER:
            return self._divided(term, args, width)
        if term.op in PRODUCTS:
            product = ring_product([self._rings[k] for k in args], 1 << width)
            return self._atom(term, args) if product is None else self._of_ring(term, product)
        if term.op in BITWISE:
            bits = self._bitwise(term.op, [self._boolean(k, width) for k in args], (1 << width) - 1)
            return self._atom(term, args) if bits is None else self._of_bits(term, bits, width)
        return self._atom(term, args)

    def _operand(self, term: Term, number: int, exact: bool) -> int:
        """The number of an operand; for type `index`, as an exact integer or as bits."""
        wanted = exact and isinstance(term.type, IndexType)
        if wanted == gives_exact(term):
            return number
        found = self._numbers.setdefault(("exact" if wanted else "bits of", number), len(self._numbers))
        if not wanted and isinstance(term.type, IndexType):
            self._rings.setdefault(found, {(found,): 1})
        return found

    def _shifted(self, term: Term, args: list[int], width: int) -> int:
        """By a literal below the width it is a product."""
        by = literal(term.args[1])
        if not isinstance(by, int) or not 0 <= by < width:
            return self._atom(term, args)
        return self._of_ring(term, ring_sum([(self._rings[args[0]], 1 << by)], 1 << width))

    def _cast(self, term: Term, number: int, width: int) -> int:
        """A literal of another width, or the truncated polynomial."""
        ring, whole = self._rings[number], self._width(term.args[0])
        if ring.keys() <= {()}:
            value = ring.get((), 0)
            signed = term.op == "arith.extsi" and value >> (whole - 1)
            value = (value - (1 << whole) if signed else value) % (1 << width)
            return self._of_ring(term, {(): value} if value else {})
        return self._truncated(term, number, width) if term.op == TRUNCATION else self._atom(term, [number])

    def _truncated(self, term: Term, number: int, width: int) -> int:
        ones, bits, ring = (1 << width) - 1, self._bits.get(number), self._rings[number]
        if bits is not None and len(bits) <= FEW and frozenset((number,)) not in bits:
            low = [(frozenset(self._truncated(term, v, width) for v in m), mask & ones) for m, mask in bits.items()]
            products = [boolean_product([self._boolean(v, width) for v in m], mask) for m, mask in low]
            known = [p for p in products if p is not None]
            if len(known) == len(products):
                return self._of_bits(term, boolean_sum(known), width)
        elif ring != {(number,): 1} and len(ring) <= FEW:
            factors = [[self._rings[self._truncated(term, v, width)] for v in m] for m in ring]
            products = [ring_product(f, 1 << width) for f in factors]
            terms = [(p, c) for p, c in zip(products, ring.values(), strict=True) if p is not None]
            if len(terms) == len(products):
                return self._of_ring(term, ring_sum(terms, 1 << width))
        found = self._numbers.setdefault(("truncated", term.type, number), len(self._numbers))
        self._rings.setdefault(found, {(found,): 1})
        return found

    def _divided(self, term: Term, args: list[int], width: int) -> int:
        """Unsigned division by a power of two: the quotient is a shift, the remainder the bits below."""
        by = literal(term.args[1])
        size = None if by is None else int(by) % (1 << width)
        if size is not None and term.op == "arith.shrui":
            size = 1 << size if size < width else None
        if not size or size & (size - 1):
            return self._atom(term, args)
        if term.op == REMAINDER:
            bits = boolean_product(
                [self._boolean(args[0], width), {frozenset(): size - 1} if size > 1 else {}], size - 1
            )
            return self._atom(term, args) if bits is None else self._of_bits(term, bits, width)
        if size == 1:
            return args[0]
        number = self._numbers.setdefault(("quotient", term.type, args[0], size), len(self._numbers))
        self._rings.setdefault(number, {(number,): 1})
        return number

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
        ring = self._of_few(term, bits, width)
        if ring is not None:
            number = self._of_ring(term, ring)
            self._bits.setdefault(number, bits)
            return number
        return self._variable(("bits", term.type, frozenset(bits.items())), bits)

    def _of_few(self, term: Term, bits: Boolean, width: int) -> Ring | None:
        """The polynomial modulo `2**width` of bits turned over (`-1 - x`), of an exclusive sum of two conjunctions
        (`x + y - 2*(x & y)`, `x - (x & y)` if `x & y` is the other), of a disjunction of two (`x + y - (x & y)`), of
        some bits without the last (`x - (x & others)`); None for any other."""
        ones, modulus = (1 << width) - 1, 1 << width
        if len(bits) == 1 and not (mask := next(iter(bits.values()))) & 1:  # the other bits are taken away
            (monomial,) = bits
            others = {monomial: ones ^ mask}
            rest = self._variable(("bits", term.type, frozenset(others.items())), others)
            return ring_sum([(self._conjunction(term, monomial), 1), (self._rings[rest], -1)], modulus)
        if set(bits.values()) != {ones}:
            return None
        if frozenset() in bits:
            rest = {m: mask for m, mask in bits.items() if m}
            below = self._of_few(term, rest, width) if len(rest) > 1 else self._conjunction(term, next(iter(rest)))
            return None if below is None else ring_sum([({(): 1}, -1), (below, -1)], modulus)
        whole = frozenset[int]().union(*bits)
        pairs = sorted((m for m in bits if m != whole), key=sorted)
        if len(bits) == 2 and len(pairs) == 1:  # one without the other
            return ring_sum([(self._conjunction(term, pairs[0]), 1), (self._conjunction(term, whole), -1)], modulus)
        if len(pairs) != 2 or len(bits) > 3 or pairs[0] | pairs[1] != whole:
            return None
        twice = 2 if len(bits) == 2 else 1
        parts = [(self._conjunction(term, m), k) for m, k in ((pairs[0], 1), (pairs[1], 1), (whole, -twice))]
        return ring_sum(parts, modulus)

    def _conjunction(self, term: Term, monomial: frozenset[int]) -> Ring:
        """The polynomial modulo `2**width` of a conjunction: a variable, unless it is one number alone."""
        if len(monomial) == 1:
            return self._rings[next(iter(monomial))]
        ones = (1 << self._width(term)) - 1
        return self._rings[self._variable(("bits", term.type, frozenset(((monomial, ones),))), {monomial: ones})]

    def _variable(self, key: object, bits: Boolean) -> int:
        """The number of a polynomial of bits that is a variable to others."""
        number = self._numbers.setdefault(key, len(self._numbers))
        self._bits.setdefault(number, bits)
        self._rings.setdefault(number, {(number,): 1})
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
