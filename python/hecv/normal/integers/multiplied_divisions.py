"""Division by a constant through a product and shifts becomes that division (`arith.divui`, `arith.divsi`).

    trunci (shrui (muli (extui %x), 3435973837), 35)   =>   divui %x, 10      for i32 in i64

The value of sums, products with literals, shifts and casts of one integer `x` is followed as an exact integer

    floor((factor * x + offset) / 2**shift) + (below if x < 0) + (above if x > 0)

where known ranges show that nothing is lost on the way. With `x = q*d + r` and `0 <= r < d`, the value is `q` if and
only if

    0 <= factor * x + offset - q * 2**shift < 2**shift,

and what stands in the middle is linear in `q` and `r`. So it holds for all `x` of a range if it holds at the corners of
the few boxes of `q` and `r` that make up the range: the condition is computed for the divisor, the width and the range
at hand. Smallest failing value: `x * 43 >> 7` is `x / 3` up to 127, and 43 at 128 where it should be 42.

Cites: T. Granlund and P. Montgomery, Division by invariant integers using multiplication, PLDI 1994, theorem 4.2; H.
Warren, Hacker's Delight, chapter 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IntType
from hecv.ops.facts.known_bits import TermBounds
from hecv.program.index.exact_integers import signed as signed_value
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, roots, walk

MOST_FORMS: Final = 6
"""Integers that one value is followed from, at most; each is an operand of a product."""
WIDEST: Final = 128
"""Bits of a value that is followed."""

_HALVES: Final = {"arith.mului_extended": False, "arith.mulsi_extended": True}
"""Products of twice the width, and whether they are signed."""
_SHIFTS: Final = {"arith.shrui": False, "arith.shrsi": True}


class Quotient(Struct, frozen=True):
    """`floor((factor * x + offset) / 2**shift) + (below if x < 0) + (above if x > 0)` of an integer `x`."""

    factor: int
    offset: int = 0
    shift: int = 0
    below: int = 0
    above: int = 0

    def at(self, x: int) -> int:
        """The value at `x`."""
        extra = self.below if x < 0 else self.above if x > 0 else 0
        return ((self.factor * x + self.offset) >> self.shift) + extra

    def ends(self, low: int, high: int) -> list[int]:
        """The values among which are the least and the greatest for `x` from `low` to `high`: it is monotone on
        either side of 0."""
        return [self.at(x) for x in (low, min(high, -1), 0, max(low, 1), high) if low <= x <= high]

    def plus(self, other: Quotient) -> Quotient | None:
        """The sum; None if both are rounded."""
        if self.shift and other.shift:
            return None
        shift = self.shift + other.shift
        one, two = 1 << other.shift, 1 << self.shift
        return Quotient(
            self.factor * one + other.factor * two,
            self.offset * one + other.offset * two,
            shift,
            self.below + other.below,
            self.above + other.above,
        )

    def negative(self) -> Quotient:
        """`-value`: what is rounded down is rounded up."""
        up = (1 << self.shift) - 1
        return Quotient(-self.factor, up - self.offset, self.shift, -self.below, -self.above)

    def times(self, number: int) -> Quotient | None:
        """The product with a literal; None if this is rounded."""
        if self.shift:
            return None
        return Quotient(self.factor * number, self.offset * number, 0, self.below * number, self.above * number)

    def shifted(self, by: int) -> Quotient | None:
        """`floor(value / 2**by)`; None if it is not of this form."""
        return None if self.below or self.above else replace(self, shift=self.shift + by)

    def divides(self, divisor: int, low: int, high: int) -> bool:
        """Whether the value is `x / divisor`, rounded to zero, for all `x` from `low` to `high`."""
        size, sign = abs(divisor), 1 if divisor > 0 else -1
        if low <= 0 <= high and self.at(0):
            return False
        return all(
            self._is_quotient(size, sign * side, side, extra, box)
            for side, extra, first, last in ((1, self.above, max(low, 1), high), (-1, self.below, max(-high, 1), -low))
            if first <= last
            for box in _boxes(size, first, last)
        )

    def _is_quotient(self, size: int, sign: int, side: int, extra: int, box: tuple[int, int, int, int]) -> bool:
        """Whether it is `sign * q` for all `x = side * (q * size + r)` of a box."""
        first, last, low, high = box
        unit = 1 << self.shift
        return all(
            0 <= self.factor * side * (q * size + r) + self.offset - (sign * q - extra) * unit < unit
            for q in (first, last)
            for r in (low, high)
        )


def _boxes(size: int, low: int, high: int) -> Iterator[tuple[int, int, int, int]]:
    """The numbers from `low` to `high` as `q * size + r`, in boxes: the least and greatest `q`, and those of `r`."""
    (first, start), (last, end) = divmod(low, size), divmod(high, size)
    if first == last:
        yield first, first, start, end
        return
    yield first, first, start, size - 1
    yield last, last, 0, end
    if first + 1 < last:
        yield first + 1, last - 1, 0, size - 1


Of = tuple[Term, bool]
"""An integer, and whether it is the signed number."""
Forms = dict[Of, Quotient]
"""A value as a function of integers, modulo `2**width`: each of them is the value."""


def divide_by_constants(pool: TermPool, block: Block) -> Block:
    """The block with divisions in the place of products with literals and shifts.

    Ensures: each term has the value that it had, and is poison for the same operands.
    """
    terms = postorder(tuple([t for s in walk(block) for t in roots(s)]))
    if not any(map(_is_product, terms)):
        return block
    change = _Divisions(pool, terms).changed(terms)
    return rewrite(block, lambda term: change[term.id]) if change else block


def _is_product(term: Term) -> bool:
    """True if a term is a product with a literal that is no power of two."""
    if not isinstance(term.type, IntType) or (term.op != "arith.muli" and term.op not in _HALVES):
        return False
    return any(isinstance(v := literal(a), int) and v.bit_count() > 1 for a in term.args)


class _Divisions:
    """The quotients among the terms of one function, which are given operands first."""

    def __init__(self, pool: TermPool, terms: list[Term]) -> None:
        self._pool = pool
        self._bounds = TermBounds()
        self._forms: dict[int, Forms] = {}
        for term in terms:
            if isinstance(term.type, IntType) and term.type.width <= WIDEST:
                self._forms[term.id] = self._found(term, term.type.width)

    def changed(self, terms: list[Term]) -> dict[int, Term]:
        """What each term becomes; nothing if none is a quotient."""
        quotients = {t.id: q for t in terms if (q := self._quotient(t)) is not None}
        made: dict[int, Term] = {}
        for term in terms if quotients else ():
            found = quotients.get(term.id)
            if found is not None:
                of, divisor = found
                made[term.id] = self._division(made[of[0].id], of[1], divisor, term)
                continue
            args = tuple([made[a.id] for a in term.args])
            made[term.id] = term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)
        return made

    def _division(self, x: Term, signed: bool, divisor: int, term: Term) -> Term:
        """`x / divisor` in the type of `term`."""
        assert isinstance(x.type, IntType) and isinstance(term.type, IntType)
        width, wanted = x.type.width, term.type.width
        number = self._pool.integer(divisor % (1 << width), x.type)
        made = self._pool.make("arith.divsi" if signed else "arith.divui", (x, number), x.type)
        if width == wanted:
            return made
        cast = "arith.trunci" if width > wanted else "arith.extsi" if signed else "arith.extui"
        return self._pool.make(cast, (made,), term.type)

    def _quotient(self, term: Term) -> tuple[Of, int] | None:
        """The integer that a term divides, and by what; None if it is no quotient."""
        for of, form in self._forms.get(term.id, {}).items():
            x, signed = of
            if not form.shift or abs(form.factor).bit_count() < 2 or x is term:
                continue
            low, high = self._range(of)
            least = 1 << form.shift
            near = {least // abs(form.factor), -(-least // abs(form.factor))}
            assert isinstance(x.type, IntType)
            for size in near:
                divisor = size if form.factor > 0 else -size
                fits = divisor < 1 << (x.type.width - 1) if signed else 0 < divisor < 1 << x.type.width
                if size > 1 and fits and size <= max(high, -low) and form.divides(divisor, low, high):
                    return of, divisor
        return None

    def _range(self, of: Of) -> tuple[int, int]:
        known = self._bounds.of(of[0])
        return (known.least, known.most) if of[1] else (known.low, known.high)

    # Forms, operator by operator

    def _found(self, term: Term, width: int) -> Forms:
        """A term as a function of the integers that it is made of, and of itself."""
        made: Forms = {}
        if all(a.id in self._forms for a in term.args):
            made = {of: f for of, f in self._made(term, width) if self._keeps_flags(term, of, f)}
        best = sorted(made.items(), key=lambda item: -abs(item[1].factor).bit_count())[:MOST_FORMS]
        return dict(best) | {(term, signed): Quotient(1) for signed in (False, True)}

    def _made(self, term: Term, width: int) -> Iterator[tuple[Of, Quotient]]:
        match term.op:
            case "arith.extui" | "arith.extsi":
                yield from self._as_number(term.args[0], term.op == "arith.extsi")
            case "arith.trunci":
                yield from self._forms[term.args[0].id].items()
            case "arith.addi":
                yield from self._sums(*term.args)
                yield from chain(self._averages(*term.args), self._averages(*term.args[::-1]))
            case "arith.subi":
                first, second = (self._operand(a) for a in term.args)
                for of in _common(first, second):
                    found = _value(first, of).plus(_value(second, of).negative())
                    if found is not None:
                        yield of, found
            case "arith.muli":
                yield from self._products(*term.args, signed=None)
            case "arith.mului_extended" | "arith.mulsi_extended":
                for of, product in self._products(*term.args, signed=_HALVES[term.op]):
                    found = product.shifted(width) if term.attr("result") == 1 else product
                    if found is not None:
                        yield of, found
            case "arith.shli":
                by = literal(term.args[1])
                for of, form in self._forms[term.args[0].id].items():
                    if isinstance(by, int) and 0 <= by < width and (found := form.times(1 << by)) is not None:
                        yield of, found
            case "arith.shrui" | "arith.shrsi":
                yield from self._shifted(term, width)
            case _:
                pass

    def _keeps_flags(self, term: Term, of: Of, form: Quotient) -> bool:
        """Whether what a flag of an operator demands holds: operands and value are numbers of the type."""
        flags = {name: value for name, value in term.attrs if name != "result" and value not in ("none", False)}
        if not flags:
            return True
        named = {part.strip() for part in str(flags.get("overflow", "")).split(",")}
        if flags.keys() != {"overflow"} or not named <= {"nsw", "nuw"} or term.op == "arith.shli":
            return False
        forms = [(t, _value(self._operand(t), of)) for t in term.args] + [(term, form)]
        return all(self._is_number(t, of, f, flag == "nsw") for flag in named for t, f in forms)

    def _is_number(self, term: Term, of: Of, form: Quotient, signed: bool) -> bool:
        """Whether the exact value of a form is that of the term as a number."""
        assert isinstance(term.type, IntType)
        width = term.type.width
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        return all(low <= end <= high for end in form.ends(*self._range(of)))

    def _as_number(self, term: Term, signed: bool) -> Iterator[tuple[Of, Quotient]]:
        """The forms whose exact value is that of the term as a number."""
        for of, form in self._forms[term.id].items():
            if self._is_number(term, of, form, signed):
                yield of, form

    def _operand(self, term: Term) -> Forms | int:
        """The forms of a term; the signed number if it is a literal."""
        value = literal(term)
        if isinstance(value, int) and isinstance(term.type, IntType):
            return signed_value(value, term.type.width)
        return self._forms[term.id]

    def _sums(self, one: Term, other: Term) -> Iterator[tuple[Of, Quotient]]:
        first, second = self._operand(one), self._operand(other)
        for of in _common(first, second):
            found = _value(first, of).plus(_value(second, of))
            if found is not None:
                yield of, found

    def _averages(self, half: Term, other: Term) -> Iterator[tuple[Of, Quotient]]:
        """`((p - q) >> 1) + q = floor((p + q) / 2)`, where `p - q` loses nothing."""
        if half.op not in _SHIFTS or literal(half.args[1]) != 1 or half.attrs or half.args[0].op != "arith.subi":
            return
        difference = half.args[0]
        whole, less = difference.args
        if less is not other:
            return
        exact = dict(self._as_number(difference, _SHIFTS[half.op]))
        for of, total in self._sums(whole, other):
            found = total.shifted(1) if of in exact else None
            if found is not None:
                yield of, found

    def _products(self, one: Term, other: Term, signed: bool | None) -> Iterator[tuple[Of, Quotient]]:
        """The products of a term with a literal; exact ones of numbers if it is said whether these are `signed`."""
        if literal(one) is not None:
            one, other = other, one
        number = literal(other)
        if not isinstance(number, int) or literal(one) is not None:
            return
        assert isinstance(other.type, IntType)
        if signed is not False:
            number = signed_value(number, other.type.width)
        forms = self._forms[one.id].items() if signed is None else self._as_number(one, signed)
        for of, form in forms:
            found = form.times(number)
            if found is not None:
                yield of, found

    def _shifted(self, term: Term, width: int) -> Iterator[tuple[Of, Quotient]]:
        """The forms of a shift to the right by a literal; by all bits but one it is the sign."""
        value, amount = term.args
        by, signed = literal(amount), _SHIFTS[term.op]
        if not isinstance(by, int) or not 0 <= by < width or literal(value) is not None:
            return
        for of, form in self._as_number(value, signed):
            found = form.shifted(by)
            if found is not None:
                yield of, found
        if by == width - 1:
            for of, form in self._as_number(value, True):
                sign = self._sign(form, of)
                if sign is not None:
                    yield of, sign.negative() if signed else sign

    def _sign(self, form: Quotient, of: Of) -> Quotient | None:
        """1 where a form is negative, else 0; None if that is not said by the sign of `x`."""
        low, high = self._range(of)
        sides = ((low, min(high, -1)), (max(low, 0), min(high, 0)), (max(low, 1), high))
        found = [{end < 0 for end in form.ends(a, b)} if a <= b else {False} for a, b in sides]
        if any(len(signs) > 1 for signs in found) or True in found[1]:
            return None
        return Quotient(0, below=int(True in found[0]), above=int(True in found[2]))


def _common(first: Forms | int, second: Forms | int) -> list[Of]:
    """The integers of which both operands are functions."""
    if isinstance(first, int):
        return [] if isinstance(second, int) else [*second]
    return [*first] if isinstance(second, int) else [of for of in first if of in second]


def _value(forms: Forms | int, of: Of) -> Quotient:
    return Quotient(0, forms) if isinstance(forms, int) else forms[of]
