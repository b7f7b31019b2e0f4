"""Integer narrowing undone: terms brought to one width, and signed operators on non-negative operands to unsigned ones.

Every operator whose result is exact, as bounds (`hecv.ops.facts.known_bits`) show, is computed in the widest
type that occurs, and truncated where fewer bits are used. Each step is an equality of total values:

- An extension of an operator is the operator on extensions if the exact result is a number of the narrow type, as an
  unsigned or as a signed one. This always holds for quotients, remainders, extrema, selects and bitwise operators,
  except unsigned quotients by 0 and the signed quotient of the least number by -1. The divisors of a defined term are
  not 0: a form that rests on that has the value of its term where that term is defined.
- An extension of a truncation is what was truncated, if that is a number of the narrow type.
- Operators that differ in how they read a sign are one if no operand is negative. This includes quotients by 0: both
  are all ones.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, IntType, ScalarType
from hecv.ops import facts_about
from hecv.ops.facts.known_bits import TermBounds
from hecv.ops.integer_bounds import Bounds


def in_one_width(
    pool: TermPool, terms: tuple[Term, ...], index_width: int, defined: tuple[Term, ...] = ()
) -> Widths | None:
    """The forms of terms in the widest type that occurs, given that the terms in `defined` are; None if no integer is
    cast, or read as signed."""
    order = postorder((*defined, *terms))
    concerned = [t for t in order if facts_about(t.op).casts or facts_about(t.op).unsigned or t.op == "arith.cmpi"]
    if not concerned:
        return None
    kinds = {k.type for t in concerned for k in (t, *t.args)}
    widest = max(kinds, key=lambda kind: (_width(kind, index_width), isinstance(kind, IndexType)))
    widths = Widths(pool, widest, index_width)
    number = len(postorder(defined))
    for k, term in enumerate(order):  # operands first, so that no term is deep
        widths.enter(term, k < number)
    return widths


def _width(kind: object, index_width: int) -> int:
    if isinstance(kind, IndexType):
        return index_width
    return kind.width if isinstance(kind, IntType) else 0


class Widths:
    """The forms of terms of a pool: equal total values, without flags on integer operators; `widest` is the widest
    type."""

    def __init__(self, pool: TermPool, widest: ScalarType, index_width: int) -> None:
        self._pool: Final = pool
        self._widest: Final = widest
        self._index_width: Final = index_width
        self._bounds: Final = TermBounds(index_width)
        self._plain: Final[dict[int, Term]] = {}
        self._wide: Final[dict[tuple[int, bool], Term | None]] = {}
        self._divisors: Final[set[int]] = set()
        self.rests = False
        """Whether a form rests on a divisor that is not 0."""

    def enter(self, term: Term, defined: bool) -> None:
        """Makes the forms of a term, after those of its operands."""
        if defined and facts_about(term.op).division is not None and self._bits(term.args[1]):
            self._divisors.add(self._unsigned(term.args[1]).id)
        if self._is_narrow(term):
            for signed in (False, True):
                self._exactly(term, signed)
        self.plain(term)

    def plain(self, term: Term) -> Term:
        """The form of a term, in its own type."""
        found = self._plain.get(term.id)
        if found is None:
            found = self._plain[term.id] = self._formed(term)
        return found

    def _formed(self, term: Term) -> Term:
        if not self._bits(term) or not term.args:
            return self._rebuilt(term)
        if term.op == "arith.cmpi":
            return self._compared(term)
        if self._is_narrow(term):
            wide = self._exactly(term, False) or self._exactly(term, True)
            if wide is not None:
                return self._cast(wide, term.type, False)
        if facts_about(term.op).casts:
            return self._casted(term)
        return self._as_unsigned(term, [self.plain(a) for a in term.args])

    def _rebuilt(self, term: Term) -> Term:
        """The operator at the root over the forms of its operands."""
        args = tuple([self.plain(a) for a in term.args])
        return term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)

    def _casted(self, term: Term) -> Term:
        (x,) = term.args
        if not self._bits(x):
            return self._rebuilt(term)
        by_sign = _extends_sign(term.op)
        if self._bits(term) > self._bits(x) and term.type == self._widest:
            return self._widened(x, by_sign)
        return self._cast(self.plain(x), term.type, by_sign)

    def _compared(self, term: Term) -> Term:
        """A comparison in the widest type, unsigned where no sign tells."""
        predicate, (x, y) = str(term.attr("predicate")), term.args
        if not self._bits(x):
            return self._rebuilt(term)
        a, b = self._bounds.of(x), self._bounds.of(y)
        if predicate[0] == "s" and ((a.least >= 0 and b.least >= 0) or (a.most < 0 and b.most < 0)):
            predicate = "u" + predicate[1:]
        if self._is_narrow(x):
            x, y = (self._widened(t, predicate[0] == "s") for t in (x, y))
        else:
            x, y = self.plain(x), self.plain(y)
        return self._pool.make("arith.cmpi", (x, y), term.type, (("predicate", predicate),))

    # In the widest type

    def _widened(self, term: Term, signed: bool) -> Term:
        """The extension of a term to the widest type, by the sign where it is `signed` and may be negative.

        Requires: it is narrower.
        """
        signed = signed and self._bounds.of(term).least < 0
        return self._exactly(term, signed) or self._cast(self.plain(term), self._widest, signed)

    def _exactly(self, term: Term, signed: bool) -> Term | None:
        """The extension of a term to the widest type, where its operator is computed there, or what it casts is."""
        key = (term.id, signed)
        if key not in self._wide:
            self._wide[key] = self._computed(term, signed)
        return self._wide[key]

    def _computed(self, term: Term, signed: bool) -> Term | None:
        known = self._bounds.of(term)
        value = literal(term)
        if isinstance(value, int):
            return self._number(known.least if signed else known.low)
        if self._bits(term) == 1 or not all(map(self._bits, term.args)):
            return None
        if facts_about(term.op).casts:
            return self._uncast(term, signed)
        if not _is_exact(term.op):
            return None
        args = [self._bounds.of(a) for a in term.args]
        for by_sign in (False, True):
            agrees = by_sign == signed or known.least >= 0
            if agrees and (_is_exact_signed if by_sign else _is_exact_unsigned)(term.op, args):
                return self._on_extensions(term, by_sign)
        if _is_unsigned_quotient(term.op) and self._unsigned(term.args[1]).id in self._divisors and not signed:
            self.rests = True
            return self._on_extensions(term, False)
        return None

    def _unsigned(self, term: Term) -> Term:
        """The extension of a term to the widest type without its sign, or its form."""
        return self._widened(term, False) if self._is_narrow(term) else self.plain(term)

    def _on_extensions(self, term: Term, signed: bool) -> Term:
        """The operator on extensions of its operands; an amount and a condition have no sign."""
        *conditions, x, y = term.args
        signs = (signed, signed and not facts_about(term.op).shifts)
        args = [*map(self.plain, conditions), *map(self._widened, (x, y), signs)]
        return self._as_unsigned(self._pool.make(term.op, tuple(args), self._widest, ()), args)

    def _uncast(self, term: Term, signed: bool) -> Term | None:
        """The extension to the widest type of a cast."""
        (x,) = term.args
        extends, by_sign = self._bits(term) > self._bits(x), _extends_sign(term.op)
        if extends:
            # What is extended without its sign has none.
            return self._widened(x, by_sign) if signed or not by_sign or self._bounds.of(x).least >= 0 else None
        a, half = self._bounds.of(x), 1 << (self._bits(term) - 1)
        fits = -half <= a.least and a.most < half if signed else a.high < 2 * half
        if not fits:
            return None
        return self._widened(x, signed) if self._is_narrow(x) else self._retyped(self.plain(x))

    def _retyped(self, term: Term) -> Term:
        """A term that has as many bits as the widest type, in that."""
        return self._cast(term, self._widest, True)

    def _number(self, value: int) -> Term:
        bits = self._bits_of(self._widest)
        if isinstance(self._widest, IndexType):
            half = 1 << (bits - 1)
            return self._pool.integer((value + half) % (1 << bits) - half, self._widest)
        return self._pool.integer(value % (1 << bits), self._widest)

    # Of any type

    def _as_unsigned(self, term: Term, args: list[Term]) -> Term:
        """The operator at the root on these operands, unsigned where none has a sign."""
        op, integers = term.op, all(map(self._bits, args))
        known = [self._bounds.of(a) for a in args] if integers else []
        unsigned = facts_about(op).unsigned
        if known and unsigned and all(a.least >= 0 for a in known) and _is_in_width(op, known):
            op = unsigned
        attrs = () if integers and _is_exact(op) else term.attrs
        return self._pool.make(op, tuple(args), term.type, attrs)

    def _cast(self, term: Term, kind: ScalarType, signed: bool) -> Term:
        """A term cast to a type, by its sign where that counts; a truncation of a cast is one cast."""
        given, wanted = self._bits(term), self._bits_of(kind)
        index = isinstance(kind, IndexType) or isinstance(term.type, IndexType)
        if term.type == kind:
            return term
        if facts_about(term.op).casts and self._bits(term.args[0]):
            (x,) = term.args
            before = self._bits(x)
            if wanted <= given and (before > given or wanted <= before):
                return self._cast(x, kind, signed)
            if wanted <= given:
                return self._cast(x, kind, _extends_sign(term.op))
        if wanted <= given:
            return self._pool.make("arith.index_cast" if index else "arith.trunci", (term,), kind, ())
        by_sign = signed and self._bounds.of(term).least < 0
        names = ("arith.index_cast", "arith.index_castui") if index else ("arith.extsi", "arith.extui")
        return self._pool.make(names[0] if by_sign else names[1], (term,), kind, ())

    def _is_narrow(self, term: Term) -> bool:
        """Whether a term is of an integer type of several bits, and not of so many as the widest."""
        return 1 < self._bits(term) < self._bits_of(self._widest)

    def _bits(self, term: Term) -> int:
        return self._bits_of(term.type)

    def _bits_of(self, kind: object) -> int:
        """The bits of an integer type, 0 of any other."""
        return _width(kind, self._index_width)


def _extends_sign(op: str) -> bool:
    """Whether a cast extends by the sign where its type is wider."""
    return facts_about(op).extends == "sign"


def _is_exact(op: str) -> bool:
    """Whether an operator is computed in another width."""
    facts = facts_about(op)
    return bool(facts.widens) or facts.wraps is not None or op == "arith.select"


def _is_unsigned_quotient(op: str) -> bool:
    """Whether an operator has another value by 0 in another width."""
    division = facts_about(op).division
    return division is not None and not division.signed and not division.remainder


def _is_in_width(op: str, args: list[Bounds]) -> bool:
    """Whether an amount is below the width."""
    return not facts_about(op).shifts or args[1].high < args[1].width


def _is_exact_unsigned(op: str, args: list[Bounds]) -> bool:
    """Whether the extension of an operator without a sign is the operator on such extensions."""
    facts = facts_about(op)
    if facts.bitwise or op == "arith.select":
        return True
    if not _is_in_width(op, args):
        return False
    a, b = args
    if facts.wraps is not None:
        found = [facts.wraps(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return min(found) >= 0 and max(found) < 1 << a.width
    return "zero" in facts.widens and (b.low > 0 or not _is_unsigned_quotient(op))


def _is_exact_signed(op: str, args: list[Bounds]) -> bool:
    """Whether the extension of an operator by the sign is the operator on such extensions."""
    facts = facts_about(op)
    if facts.bitwise or op == "arith.select":
        return True
    if not _is_in_width(op, args):
        return False
    a, b = args
    half = 1 << (a.width - 1)
    if facts.wraps is not None:
        found = [facts.wraps(x, y) for x in (a.least, a.most) for y in (b.least, b.most)]
        return -half <= min(found) and max(found) < half
    if facts.division is not None and not facts.division.remainder:
        return "sign" in facts.widens and (a.least > -half or not b.least <= -1 <= b.most)
    return "sign" in facts.widens
