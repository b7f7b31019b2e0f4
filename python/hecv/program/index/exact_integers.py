"""Arithmetic on `iN` as exact arithmetic on the signed or unsigned values, where ranges show that nothing overflows."""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, IndexType, IntType, ScalarType
from hecv.program.index import quasi_affine
from hecv.program.index.index_ranges import Facts

Extremum = Callable[[str, tuple[Term, ...]], Term]


_NO_UNSIGNED_WRAP = (("overflow", "nuw"),)


class Widening:
    """The exact values of terms of type `iN`, at a place where some facts hold."""

    def __init__(self, pool: TermPool, facts: Facts, widest: Callable[[int], int], extremum: Extremum) -> None:
        """`widest(n)` is the width that a value of type `iN` of width n must fit to be the same number as an `index`;
        `extremum` makes `affine.max` and `affine.min`."""
        self._pool = pool
        self._facts = facts
        self._widest = widest
        self._extremum = extremum

    def value(self, term: Term) -> Term | None:
        """The signed value of a term of type `iN` as an index term; None if overflow is not excluded."""
        pool, width = self._pool, term.type.width if isinstance(term.type, IntType) else 0
        value = literal(term)
        if isinstance(value, int) and width:
            value = signed(value, width)
            return pool.integer(value) if -(1 << 31) <= value < 1 << 31 else None
        parts = [a if isinstance(a.type, IndexType) else self.value(a) for a in term.args]
        operands = [p for p in parts if p is not None]
        if not operands or len(operands) != len(parts):
            leaf = term.op in ("arg", "iv") and 1 < width == self._widest(width)
            return pool.make("arith.index_cast", (term,), INDEX) if leaf else None
        exact = self._op(term, operands)
        if exact is None or not self._facts.fits(pool, exact, self._widest(width)):
            return None
        unsigned = any("nuw" in str(value) for _, value in term.attrs)
        return exact if not unsigned or self._nonnegative(*operands, exact) else None

    def natural(self, term: Term) -> Term | None:
        """The unsigned value of a term of type `iN` as an index term; None if overflow is not excluded, or if it may be
        too large for an `index`."""
        pool, width = self._pool, term.type.width if isinstance(term.type, IntType) else 0
        value = literal(term)
        if isinstance(value, int) and width:
            return pool.integer(value) if value < 1 << 31 else None
        if not width or term.attrs not in ((), _NO_UNSIGNED_WRAP):
            return None
        exact = self._natural_op(term)
        if exact is not None:
            return exact if self._is_natural(exact, width) else None
        leaf = term.op in ("arg", "iv") and self._widest(width + 1) == width + 1
        return pool.make("arith.index_castui", (term,), INDEX) if leaf else None

    def _natural_op(self, term: Term) -> Term | None:
        """An op of type `iN` as exact arithmetic on unsigned values of operands; right only if the result fits."""
        if term.op in ("arith.index_cast", "arith.index_castui"):
            return term.args[0]
        parts = [self.natural(a) for a in term.args if isinstance(a.type, IntType)]
        operands = [p for p in parts if p is not None]
        if not operands or len(operands) != len(term.args):
            return None
        match term.op:
            case "arith.extui" | "arith.trunci" if not term.attrs:
                return operands[0]
            case "arith.addi":
                return quasi_affine.add(self._pool, operands[0], operands[1])
            case "arith.subi":
                return quasi_affine.subtract(self._pool, operands[0], operands[1])
            case "arith.muli":
                return quasi_affine.multiply(self._pool, operands[0], operands[1])
            case _:
                return None

    def _is_natural(self, index: Term, width: int) -> bool:
        """True if an index is known to be an unsigned value of this width."""
        over = quasi_affine.combine(self._pool, (1 << width) - 1, ((index, -1),))
        return self._nonnegative(index) and (self._widest(width + 1) <= width or self._nonnegative(over))

    def _keeps_sign(self, kind: ScalarType, operand: Term) -> bool:
        """True if an unsigned cast of an index to an integer adds no bits, or the index is not negative."""
        narrow = isinstance(kind, IntType) and kind.width == self._widest(kind.width)
        return narrow or self._nonnegative(operand)

    def _op(self, term: Term, operands: list[Term]) -> Term | None:
        """An op of type `iN` as exact arithmetic on signed values of operands; right only if the result fits."""
        pool = self._pool
        match term.op:
            case "arith.index_cast" | "arith.extsi" | "arith.trunci" if not term.attrs:
                return operands[0]
            case "arith.index_castui" if not term.attrs and self._keeps_sign(term.type, operands[0]):
                return operands[0]
            case "arith.extui" if not term.attrs and self._nonnegative(operands[0]):
                return operands[0]
            case "arith.addi":
                return quasi_affine.add(pool, operands[0], operands[1])
            case "arith.subi":
                return quasi_affine.subtract(pool, operands[0], operands[1])
            case "arith.muli":
                return quasi_affine.multiply(pool, operands[0], operands[1])
            case "arith.maxsi" | "arith.minsi":
                return self._extremum("affine.max" if term.op == "arith.maxsi" else "affine.min", tuple(operands))
            case _:
                return None

    def _nonnegative(self, *terms: Term) -> bool:
        return all(self._facts.nonnegative(self._pool, t) for t in terms)


def signed(residue: int, width: int) -> int:
    """The signed value of a residue modulo `2**width`."""
    return residue - (1 << width) if residue >> (width - 1) else residue
