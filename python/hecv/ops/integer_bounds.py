"""Bounds of integers: which bits are known, and the least and greatest value, as unsigned and as signed number.

Each function gives bounds of an operator's value from those of its operands, at every width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hecv.base.term import Term, literal


class Bounds(NamedTuple):
    """Values of a width of which the bits `zeros` are 0 and `ones` are 1, from `low` to `high` as unsigned and from
    `least` to `most` as signed numbers."""

    width: int
    zeros: int
    ones: int
    low: int
    high: int
    least: int
    most: int

    @property
    def exact(self) -> int | None:
        """The only value, if there is one."""
        return self.low if self.low == self.high else None


def bounds(
    width: int,
    zeros: int = 0,
    ones: int = 0,
    unsigned: tuple[int, int] | None = None,
    signed: tuple[int, int] | None = None,
) -> Bounds:
    """What follows from known bits and ranges that a value is in, each of what the others say."""
    whole, half = (1 << width) - 1, 1 << (width - 1)
    low, high = unsigned or (0, whole)
    least, most = signed or (-half, half - 1)
    for _ in range(2):
        low, high = max(low, ones), min(high, whole & ~zeros)
        if least >= 0 or most < 0:
            turn = 0 if least >= 0 else 2 * half
            low, high = max(low, least + turn), min(high, most + turn)
        if high < half or low >= half:
            turn = 0 if high < half else 2 * half
            least, most = max(least, low - turn), min(most, high - turn)
        if low > high or least > most:
            raise ValueError("no value is within these bounds")
        same = whole & ~((1 << (low ^ high).bit_length()) - 1)
        zeros, ones = zeros | (same & ~low), ones | (same & low)
    return Bounds(width, zeros, ones, low, high, least, most)


Transfer = Callable[[Term, int, Sequence[Bounds]], Bounds]


def of_conjunction(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    return bounds(width, a.zeros | b.zeros, a.ones & b.ones, (0, min(a.high, b.high)))


def of_disjunction(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    return bounds(width, a.zeros & b.zeros, a.ones | b.ones, (max(a.low, b.low), (1 << width) - 1))


def of_exclusive(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    known, value = (a.zeros | a.ones) & (b.zeros | b.ones), a.ones ^ b.ones
    return bounds(width, known & ~value, known & value)


def _trailing(a: Bounds, b: Bounds) -> int:
    """A mask of the lowest bits that are known of both."""
    unknown = ~((a.zeros | a.ones) & (b.zeros | b.ones))
    return (unknown & -unknown) - 1


def _of_low_bits(width: int, mask: int, value: int, corners: Sequence[Sequence[int]]) -> Bounds:
    """A value of which the lowest bits are known, and that is between two numbers modulo `2**width`, as unsigned and as
    signed number."""
    whole, half = (1 << width) - 1, 1 << (width - 1)
    mask &= whole
    ranges = [(min(c), max(c)) for c in corners]
    (low, high), (least, most) = ranges
    unsigned = (low & whole, high & whole) if low >> width == high >> width else None
    signed = (least, most) if -half <= least and most < half else None
    return bounds(width, mask & ~value, mask & value, unsigned, signed)


def of_sum(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    corners = ((a.low + b.low, a.high + b.high), (a.least + b.least, a.most + b.most))
    return _of_low_bits(width, _trailing(a, b), a.ones + b.ones, corners)


def of_difference(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    corners = ((a.low - b.high, a.high - b.low), (a.least - b.most, a.most - b.least))
    return _of_low_bits(width, _trailing(a, b), a.ones - b.ones, corners)


def of_product(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    corners = (
        (a.low * b.low, a.high * b.high),
        [x * y for x in (a.least, a.most) for y in (b.least, b.most)],
    )
    found = _of_low_bits(width, _trailing(a, b), a.ones * b.ones, corners)
    even = (~a.zeros & (a.zeros + 1)).bit_length() - 1 + (~b.zeros & (b.zeros + 1)).bit_length() - 1
    zeros = ((1 << min(even, width)) - 1) & ((1 << width) - 1)
    return bounds(width, found.zeros | zeros, found.ones, (found.low, found.high), (found.least, found.most))


def _amount(term: Term, width: int) -> int | None:
    """By how many bits a shift shifts, where that is known and defined."""
    value = literal(term.args[1])
    return value if isinstance(value, int) and 0 <= value < width else None


def of_left_shift(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, by, whole = args[0], _amount(term, width), (1 << width) - 1
    if by is None:
        return bounds(width)
    fits = a.high << by <= whole
    zeros = ((a.zeros << by) | ((1 << by) - 1)) & whole
    return bounds(width, zeros, (a.ones << by) & whole, (a.low << by, a.high << by) if fits else None)


def of_unsigned_shift(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, by = args[0], _amount(term, width)
    if by is None:
        return bounds(width)
    return bounds(width, a.zeros >> by, a.ones >> by, (a.low >> by, a.high >> by))


def of_signed_shift(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, by = args[0], _amount(term, width)
    if by is None:
        return bounds(width)
    return bounds(width, a.zeros >> by, a.ones >> by, None, (a.least >> by, a.most >> by))


def of_unsigned_quotient(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    return bounds(width, unsigned=(a.low // b.high, a.high // b.low)) if b.low else bounds(width)


def of_unsigned_remainder(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    if not b.low:
        return bounds(width, unsigned=(0, a.high))
    kept = b.low - 1 if b.low == b.high and b.low.bit_count() == 1 else 0
    return bounds(width, a.zeros & kept, a.ones & kept, (0, min(a.high, b.high - 1)))


def of_signed_quotient(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    """Where the divisor is positive; to it and to the dividend the quotient is monotone, whatever the other is."""
    a, b = args
    if b.least <= 0:
        return bounds(width)
    found = [_toward_zero(x, y) for x in (a.least, a.most) for y in (b.least, b.most)]
    return bounds(width, signed=(min(found), max(found)))


def _toward_zero(x: int, y: int) -> int:
    return -(-x // y) if x < 0 else x // y


def of_rounded(up: bool) -> Transfer:
    """As `of_signed_quotient`, rounded up or down."""
    sign = -1 if up else 1

    def of_quotient(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
        a, b = args
        if b.least <= 0:
            return bounds(width)
        found = [sign * (sign * x // y) for x in (a.least, a.most) for y in (b.least, b.most)]
        return bounds(width, signed=(min(found), max(found)))

    return of_quotient


def of_unsigned_ceiling(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    return bounds(width, unsigned=(-(-a.low // b.high), -(-a.high // b.low))) if b.low else bounds(width)


def of_signed_remainder(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    if b.least <= 0:
        return bounds(width)
    return bounds(width, signed=(max(min(a.least, 0), 1 - b.most), min(max(a.most, 0), b.most - 1)))


def of_zero_extension(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    (a,) = args
    return bounds(width, a.zeros | ((1 << width) - (1 << a.width)), a.ones, (a.low, a.high))


def of_sign_extension(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    (a,) = args
    lower = (1 << (a.width - 1)) - 1
    return bounds(width, a.zeros & lower, a.ones & lower, None, (a.least, a.most))


def of_truncation(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    (a,) = args
    whole, half = (1 << width) - 1, 1 << (width - 1)
    unsigned = (a.low & whole, a.high & whole) if a.low >> width == a.high >> width else None
    signed = (a.least, a.most) if -half <= a.least and a.most < half else None
    return bounds(width, a.zeros & whole, a.ones & whole, unsigned, signed)


def of_index_cast(extension: Transfer) -> Transfer:
    """A cast between an index and an integer: an `extension` where that has more bits."""

    def of_cast(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
        (a,) = args
        if width <= a.width:
            return a if width == a.width else of_truncation(term, width, args)
        return extension(term, width, args)

    return of_cast


def decided(predicate: str, a: Bounds, b: Bounds) -> bool | None:
    """What a comparison says, where bounds tell it."""
    match predicate:
        case "eq" | "ne":
            apart = a.high < b.low or b.high < a.low or a.most < b.least or b.most < a.least
            apart = apart or bool((a.ones & b.zeros) | (a.zeros & b.ones))
            same = None if a.exact is None or a.exact != b.exact else True
            equal = False if apart else same
            return equal if predicate == "eq" or equal is None else not equal
        case "ult" | "slt":
            return _below(predicate, a, b)
        case "ugt" | "sgt":
            return _below(predicate, b, a)
        case "uge" | "sge":
            found = _below(predicate, a, b)
        case _:
            found = _below(predicate, b, a)
    return None if found is None else not found


def _below(predicate: str, a: Bounds, b: Bounds) -> bool | None:
    """Whether the first is below the second, as unsigned or signed numbers."""
    (low, high), (least, most) = ((x.low, x.high) if predicate[0] == "u" else (x.least, x.most) for x in (a, b))
    return True if high < least else False if low >= most else None


def of_comparison(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    found = decided(str(term.attr("predicate")), *args)
    return bounds(1) if found is None else bounds(1, unsigned=(int(found), int(found)))


def join(a: Bounds, b: Bounds) -> Bounds:
    """What is one of two."""
    unsigned = (min(a.low, b.low), max(a.high, b.high))
    return bounds(a.width, a.zeros & b.zeros, a.ones & b.ones, unsigned, (min(a.least, b.least), max(a.most, b.most)))


def of_choice(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    condition, yes, no = args
    if condition.exact is not None:
        return yes if condition.exact else no
    return join(yes, no)


def of_extremum(greatest: bool, signed: bool) -> Transfer:
    """The lesser or the greater of two."""
    choose = max if greatest else min

    def of_one(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
        a, b = args
        both = join(a, b)
        if not signed:
            unsigned = (choose(a.low, b.low), choose(a.high, b.high))
            return bounds(width, both.zeros, both.ones, unsigned, (both.least, both.most))
        ends = (choose(a.least, b.least), choose(a.most, b.most))
        return bounds(width, both.zeros, both.ones, (both.low, both.high), ends)

    return of_one
