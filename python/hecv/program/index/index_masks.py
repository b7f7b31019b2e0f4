"""`arith.andi`, `ori` and `xori` of an index with a literal mask, as quasi-affine terms.

Values are two's complement; operands may be negative. Let `f = (x floordiv 2**l) mod 2**(h - l)` be bits `l` up to `h`
of `x`. On this field `and` keeps `2**l * f`, `or` adds `2**l * (2**(h - l) - 1 - f)`, and `xor` adds
`2**l * (2**(h - l) - 1 - 2 * f)`. For a negative mask `m` let `c` be its complement, the bits that `m` lacks. Then
`x & m = x - (x & c)`, `x | m = m + (x & c)` and `x ^ m = -1 - (x ^ c)`.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool, literal
from hecv.program.index import quasi_affine

MOST_RUNS: Final = 2
"""Runs of ones in a mask, at most: each adds two floors."""

SMALL: Final = 1 << 31
"""Masks below this are values of every width of `index`."""

Runs = tuple[tuple[int, int], ...]


def masked(pool: TermPool, op: str, args: tuple[Term, ...]) -> Term | None:
    """The value of `arith.andi`, `arith.ori` or `arith.xori` on indices; None if neither operand is a literal mask."""
    for mask, other in (args, args[::-1]):
        value = literal(mask)
        if not isinstance(value, int) or not -SMALL <= value < SMALL:
            continue
        runs = _runs(value if value >= 0 else ~value)
        if len(runs) > MOST_RUNS:
            continue
        if value >= 0:
            return _bits(pool, op, other, runs)
        if op == "arith.xori":
            return quasi_affine.combine(pool, -1, ((_bits(pool, op, other, runs), -1),))
        rest = _bits(pool, "arith.andi", other, runs)
        if op == "arith.andi":
            return quasi_affine.subtract(pool, other, rest)
        return quasi_affine.combine(pool, value, ((rest, 1),))
    return None


def _bits(pool: TermPool, op: str, term: Term, runs: Runs) -> Term:
    """The value for a nonnegative mask with these runs of ones."""
    whole, ones, field = {"arith.andi": (0, 0, 1), "arith.ori": (1, 1, -1), "arith.xori": (1, 1, -2)}[op]
    constant, parts = 0, [(term, whole)]
    for low, high in runs:
        shifted = quasi_affine.floordiv(pool, term, pool.integer(1 << low))
        parts.append((quasi_affine.modulo(pool, shifted, pool.integer(1 << (high - low))), field << low))
        constant += ones * ((1 << high) - (1 << low))
    return quasi_affine.combine(pool, constant, tuple(parts))


def _runs(mask: int) -> Runs:
    """The runs of ones in a mask, each as (lowest bit, one above the highest bit)."""
    found: list[tuple[int, int]] = []
    low = 0
    while mask >> low:
        high = low
        while mask >> high & 1:
            high += 1
        if high > low:
            found.append((low, high))
        low = high + 1
    return tuple(found)
