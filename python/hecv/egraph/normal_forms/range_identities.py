"""Value-range identities: other ways to compute operators of bounded operands, each a law at every width.

Bounds are those of `hecv.ops.facts.known_bits`. An operand that is always the smaller one is the minimum;
non-negative numbers are divided and shifted as unsigned; addition, `or` and `xor` of bits that are never 1 together are
one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hecv.base.term import Term, literal
from hecv.egraph.normal_forms.integer_terms import Maker
from hecv.ops import facts_about
from hecv.ops.integer_bounds import Bounds, decided

Law = Callable[[Maker, Term, list[Bounds]], Iterator[Term]]


def _whole(a: Bounds) -> int:
    return (1 << a.width) - 1


def _are_apart(a: Bounds, b: Bounds) -> bool:
    """Whether no bit may be 1 in both."""
    return a.zeros | b.zeros == _whole(a)


def _covers(a: Bounds, b: Bounds) -> bool:
    """Whether all bits that may be 1 in the second are 1 in the first."""
    return a.ones | b.zeros == _whole(a)


def conjunction(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x & y = x` where `y` has all bits that `x` may have."""
    (x, y), (a, b) = term.args, args
    if _covers(b, a):
        yield x
    elif _covers(a, b):
        yield y


def disjunction(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x | y = x` where `x` has all bits that `y` may have, and `x ^ y = x + y` where no bit is in both."""
    (x, y), (a, b) = term.args, args
    if _covers(a, b):
        yield x
    elif _covers(b, a):
        yield y
    elif _are_apart(a, b):
        yield from (make("xori", x, y), make("addi", x, y))


def exclusive(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x ^ y = x + y` where no bit is in both."""
    if _are_apart(*args):
        yield make("addi", *term.args)


def total(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x + y = x ^ y` where no bit is in both."""
    if _are_apart(*args):
        yield make("xori", *term.args)


def difference(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x - y = x ^ y` where `x` has all bits that `y` may have."""
    if _covers(*args):
        yield make("xori", *term.args)


def extremum(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`min(x, y) = x` where `x <= y`, and so on; of numbers of one sign it is that of unsigned ones."""
    (x, y), (a, b), facts = term.args, args, facts_about(term.op)
    assert facts.extremum is not None
    predicate, greatest = "sle" if facts.extremum.signed else "ule", facts.extremum.greatest
    if decided(predicate, a, b):
        yield y if greatest else x
    elif decided(predicate, b, a):
        yield x if greatest else y
    elif facts.unsigned and _one_sign(a, b):
        yield make.of(facts.unsigned, x, y)


def _one_sign(a: Bounds, b: Bounds) -> bool:
    return (a.least >= 0 and b.least >= 0) or (a.most < 0 and b.most < 0)


def comparison(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """For two numbers of one sign, the unsigned comparison."""
    predicate = str(term.attr("predicate"))
    if predicate[0] == "s" and _one_sign(*args):
        yield make.compare("u" + predicate[1:], *term.args)


def choice(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """A select whose condition is known is one of its arms."""
    if args[0].exact is not None:
        yield term.args[1] if args[0].exact else term.args[2]


def shift(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x >>s k = x >>u k` where `x` is never negative."""
    by = literal(term.args[1])
    if args[0].least >= 0 and by is not None and 0 <= by < args[0].width:
        yield make("shrui", *term.args)


def quotient(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x /s y = x /u y` where neither is negative and `y` is not 0; remainders likewise."""
    a, b = args
    if a.least >= 0 and b.least > 0:
        yield make("divui" if term.op == "arith.divsi" else "remui", *term.args)


def remainder(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`x %u y = x` where `x < y`."""
    if decided("ult", *args):
        yield term.args[0]


def extension(make: Maker, term: Term, args: list[Bounds]) -> Iterator[Term]:
    """`sext(x) = zext(x)` where `x` is never negative."""
    if args[0].least >= 0:
        yield make.cast("arith.extui", term.args[0], term.type)


LAWS: Final[dict[str, Law]] = {
    "arith.andi": conjunction,
    "arith.ori": disjunction,
    "arith.xori": exclusive,
    "arith.addi": total,
    "arith.subi": difference,
    "arith.cmpi": comparison,
    "arith.select": choice,
    "arith.shrsi": shift,
    "arith.divsi": quotient,
    "arith.remsi": quotient,
    "arith.remui": remainder,
    "arith.extsi": extension,
}
"""Laws by the operator whose other ways they are."""


def law_of(op: str) -> Law | None:
    """The law of an operator of integers; None where there is none."""
    return LAWS.get(op) or (extremum if facts_about(op).extremum is not None else None)
