"""Integer identities that the normal forms miss: other ways to compute an operator, each a law at every width.

Each function takes the root of a term and gives terms with the same total value, or none. Quotients by powers of two
are shifts, a select is a sum of masks, an extremum a select, a signed comparison an unsigned one, and casts move
through bitwise operators, so that the normal forms of both (`hecv.egraph.normal_forms.bitvector_forms`) meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import IntType
from hecv.egraph.normal_forms import range_identities
from hecv.egraph.normal_forms.integer_terms import Maker, width
from hecv.ops import facts_about
from hecv.ops.facts.known_bits import TermBounds

Law = Callable[["Maker", Term], Iterator[Term]]


class Alternatives:
    """The identities applied to the terms of one pool."""

    def __init__(self, pool: TermPool) -> None:
        self._make: Final = Maker(pool)
        self._known: Final[dict[int, tuple[Term, ...]]] = {}
        self.bounds: Final = TermBounds()

    def of(self, term: Term) -> tuple[Term, ...]:
        """Terms with the same total value as `term`."""
        found = self._known.get(term.id)
        if found is None:
            integers = all(isinstance(t.type, IntType) for t in (term, *term.args))
            found = tuple(dict.fromkeys(self._found(term))) if integers and term.args else ()
            self._known[term.id] = found
        return found

    def agree(self, one: Term, other: Term) -> bool:
        """Whether two terms are the same literal, by their bounds."""
        if not isinstance(one.type, IntType):
            return False
        value = self.bounds.of(one).exact
        return value is not None and self.bounds.of(other).exact == value

    def _found(self, term: Term) -> Iterator[Term]:
        """What any law gives: the literal alone where bounds know it."""
        value = self.bounds.of(term).exact
        if value is not None:
            yield self._make.number(value, term.type)
            return
        for law in laws_of(term.op):
            yield from (other for other in law(self._make, term) if other is not term)
        of_bounds = range_identities.law_of(term.op)
        if of_bounds is not None:
            yield from of_bounds(self._make, term, [self.bounds.of(a) for a in term.args])


def _amount(term: Term) -> int | None:
    """By how many bits a shift shifts, where that is known and defined."""
    value = literal(term.args[1])
    return int(value) if value is not None and value < width(term.type) else None


def _power(term: Term) -> int | None:
    """The exponent of a divisor that is a power of two."""
    value = literal(term.args[1])
    if value is None or int(value).bit_count() != 1:
        return None
    return int(value).bit_length() - 1


def quotient(make: Maker, term: Term) -> Iterator[Term]:
    """`x /u 2**k = x >>u k`."""
    power = _power(term)
    if power is not None:
        yield make("shrui", term.args[0], make.number(power, term.type))


def remainder(make: Maker, term: Term) -> Iterator[Term]:
    """`x %u 2**k = x & (2**k - 1)`."""
    power = _power(term)
    if power is not None:
        yield make("andi", term.args[0], make.number((1 << power) - 1, term.type))


def signed_quotient(make: Maker, term: Term) -> Iterator[Term]:
    """`x /s 2**k = (x + (x >>s w - 1 >>u w - k)) >>s k`, for a divisor below the sign bit."""
    power, bits = _power(term), width(term.type)
    if power is None or not 0 < power < bits - 1:
        return
    x = term.args[0]
    ones = make("shrsi", x, make.number(bits - 1, term.type))
    raised = make("addi", x, make("shrui", ones, make.number(bits - power, term.type)))
    yield make("shrsi", raised, make.number(power, term.type))


def signed_shift(make: Maker, term: Term) -> Iterator[Term]:
    """`x >>s k = (x >>u k ^ s >>u k) - (s >>u k)` with the sign bit `s`."""
    amount, bits = _amount(term), width(term.type)
    if amount is None:
        return
    sign = make.number((1 << (bits - 1)) >> amount, term.type)
    yield make("subi", make("xori", make("shrui", *term.args), sign), sign)


def shift(make: Maker, term: Term) -> Iterator[Term]:
    """A shift distributes over bitwise operators, and two shifts are one."""
    amount, (inner, by) = _amount(term), term.args
    if amount is None:
        return
    value = literal(inner)
    if value is not None:
        yield make.number(int(value) >> amount, term.type)
    elif amount == 0:
        yield inner
    elif facts_about(inner.op).bitwise:
        left, right = (make("shrui", a, by) for a in inner.args)
        yield make.of(inner.op, left, right)
    elif inner.op == "arith.shrui":
        before = _amount(inner)
        if before is not None:
            total = before + amount
            fits = total < width(term.type)
            again = make("shrui", inner.args[0], make.number(total, term.type)) if fits else None
            yield again or make.number(0, term.type)
    elif inner.op == "arith.extui" and amount >= width(inner.args[0].type):
        yield make.number(0, term.type)


def choice(make: Maker, term: Term) -> Iterator[Term]:
    """`select(c, x, y) = y ^ ((x ^ y) & sext(c))`."""
    condition, yes, no = term.args
    mask = make.cast("arith.extsi", condition, term.type)
    yield make("xori", no, make("andi", make("xori", yes, no), mask))


def choice_of_extremum(make: Maker, term: Term) -> Iterator[Term]:
    """`select(x < y, x, y) = min(x, y)`, and likewise for other orders and their negations."""
    condition, yes, no = term.args
    if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        condition, yes, no = condition.args[0], no, yes
    if condition.op != "arith.cmpi" or {a.id for a in condition.args} != {yes.id, no.id}:
        return
    predicate = str(condition.attr("predicate"))
    if predicate[0] != "e" and predicate[0] != "n":
        least = (predicate[1] == "l") == (condition.args[0] is yes)
        yield make(f"{'min' if least else 'max'}{predicate[0]}i", yes, no)


def extremum(make: Maker, term: Term) -> Iterator[Term]:
    """`min(x, y) = select(x < y, x, y) = select(y < x, y, x)`; for a maximum with the arms exchanged."""
    x, y = term.args
    found = facts_about(term.op).extremum
    assert found is not None
    least, predicate = not found.greatest, "slt" if found.signed else "ult"
    below, above = make.compare(predicate, x, y), make.compare(predicate, y, x)
    yield make("select", below, *((x, y) if least else (y, x)))
    yield make("select", above, *((y, x) if least else (x, y)))


def comparison(make: Maker, term: Term) -> Iterator[Term]:
    """`x <s y` is `x ^ s <u y ^ s` with the sign bit `s`; `x = y` is `x ^ y = 0` and `x - y = 0`."""
    predicate, (x, y) = str(term.attr("predicate")), term.args
    if predicate[0] == "s":
        sign = make.number(1 << (width(x.type) - 1), x.type)
        yield make.compare("u" + predicate[1:], make("xori", x, sign), make("xori", y, sign))
    elif predicate in ("eq", "ne") and literal(x) is None and literal(y) != 0:
        zero = make.number(0, x.type)
        for apart in (make("xori", x, y), make("subi", x, y), make("subi", y, x)):
            yield make.compare(predicate, apart, zero)


def cast(make: Maker, term: Term) -> Iterator[Term]:
    """A cast distributes over bitwise operators, a truncation over ring operators."""
    (inner,) = term.args
    facts = facts_about(inner.op)
    if facts.bitwise or (term.op == "arith.trunci" and facts.ring):
        yield make.of(inner.op, *[make.cast(term.op, a, term.type) for a in inner.args])


def cast_of_cast(make: Maker, term: Term) -> Iterator[Term]:
    """Two casts are one, or an extension of a truncation is a mask."""
    (inner,) = term.args
    extensions = ("arith.extui", "arith.extsi")
    if inner.op not in (*extensions, "arith.trunci"):
        return
    x = inner.args[0]
    if term.op == "arith.trunci":
        narrows = inner.op == "arith.trunci" or width(term.type) < width(x.type)
        yield make.cast("arith.trunci" if narrows else inner.op, x, term.type)
    elif inner.op == term.op or inner.op == "arith.extui":
        yield make.cast(inner.op, x, term.type)
    elif inner.op == "arith.trunci" and term.op == "arith.extui":
        narrows = width(term.type) < width(x.type)
        whole = make.cast("arith.trunci" if narrows else "arith.extui", x, term.type)
        yield make("andi", whole, make.number((1 << width(inner.type)) - 1, term.type))


def extension(make: Maker, term: Term) -> Iterator[Term]:
    """`zext(c) = sext(c) & 1` of a bit."""
    if width(term.args[0].type) == 1:
        yield make("andi", make.cast("arith.extsi", term.args[0], term.type), make.number(1, term.type))


def signed_extension(make: Maker, term: Term) -> Iterator[Term]:
    """`sext(x) = (zext(x) ^ s) - s` with the sign bit `s`."""
    bits = width(term.args[0].type)
    if bits > 1:
        sign = make.number(1 << (bits - 1), term.type)
        yield make("subi", make("xori", make.cast("arith.extui", term.args[0], term.type), sign), sign)


LAWS: Final[dict[str, tuple[Law, ...]]] = {
    "arith.divui": (quotient,),
    "arith.remui": (remainder,),
    "arith.divsi": (signed_quotient,),
    "arith.shrsi": (signed_shift,),
    "arith.shrui": (shift,),
    "arith.select": (choice, choice_of_extremum),
    "arith.cmpi": (comparison,),
    "arith.trunci": (cast, cast_of_cast),
    "arith.extui": (cast, cast_of_cast, extension),
    "arith.extsi": (cast, cast_of_cast, signed_extension),
}
"""Laws by the operator whose other ways they are."""


def laws_of(op: str) -> tuple[Law, ...]:
    """The laws of an operator of integers."""
    return LAWS.get(op) or ((extremum,) if facts_about(op).extremum is not None else ())
