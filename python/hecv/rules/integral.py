"""Proofs of laws over the exact integers, for every width at once.

Where bit-blasting gives up, on products and quotients, the integers are easy. A pattern is read as an exact integer
that is congruent to its value modulo `N = 2**width`, for any `N >= 4`. Sums, differences and products are congruent to
those of congruent operands, so they may leave the range of the type. A quotient, a remainder or a comparison needs the
very value: its operands must be proved in range, and that is an obligation. Two sides that are one integer are
congruent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from hecv.base.theory import (
    FALSE,
    INTEGER,
    TRUE,
    Bool,
    Expression,
    Integer,
    Variable,
    all_of,
    any_of,
    eq,
    ifloordiv,
    ile,
    imul,
    integer,
    isum,
    ite,
    not_,
)
from hecv.rules.language import BIT, Number, Operation, Pattern, variables
from hecv.rules.language import Variable as Hole
from hecv.rules.law import Instance
from hecv.smt.prove import Proved, decide
from hecv.smt.theory import Operand, Translator

MODULUS: Final = Variable(INTEGER, "modulus", proper=True)
ZERO: Final = integer(0)
ONE: Final = integer(1)
EXACT: Final = (("exact", True),)


class Unreadable(Exception):
    """The pattern has no reading over the integers."""


def proved_over_integers(instance: Instance, signed: bool, milliseconds: int) -> bool:
    """Whether the equation holds at every width of at least two bits; `signed` says how values are read.

    False where it has no such proof.
    """
    equation = instance.equation
    given: list[Pattern] = [*equation.given, *([equation.where] if equation.where is not None else [])]
    premises: list[Bool] = []
    try:
        for pattern in given:
            # A premise is read rightly only where its own obligations hold, by what was said before it.
            reader = Reader(signed)
            premise = reader.condition(pattern, TRUE) if pattern is equation.where else reader.premise(pattern)
            if not _holds(reader, instance, premises, milliseconds):
                return False
            premises.append(premise)
        reader = Reader(signed)
        reader.obligations.append(reader.equal(equation.left, equation.right))
    except Unreadable:
        return False
    return _holds(reader, instance, premises, milliseconds)


def _holds(reader: Reader, instance: Instance, premises: list[Bool], milliseconds: int) -> bool:
    """The obligations follow from the premises."""
    if not reader.obligations:
        return True
    z3 = Translator()
    names = [MODULUS.name, *variables(instance.equation.left)]
    operands = {name: Operand(z3.variable(name, INTEGER), z3.false) for name in names}
    holes = [Variable(INTEGER, name, proper=True) for name in names[1:]]
    domain = [ile(integer(4), MODULUS), *[reader.in_range(hole) for hole in holes]]
    # The modulus is even: a power of two is.
    half = Variable(INTEGER, "half", proper=True)
    operands[half.name] = Operand(z3.variable(half.name, INTEGER), z3.false)
    domain.append(eq(MODULUS, imul(integer(2), half)))
    formulas = z3.translate_all((all_of(*reader.obligations), *domain, *premises), operands)
    return decide(formulas[0], formulas[1:], milliseconds) == Proved()


class Reader(Struct):
    """Reads patterns as integers and collects what must hold for that."""

    signed: bool
    obligations: list[Bool] = field(default_factory=list[Bool])

    def in_range(self, value: Integer) -> Bool:
        """The integer is a value of the type."""
        if not self.signed:
            return all_of(ile(ZERO, value), less(value, MODULUS))
        twice = imul(integer(2), value)
        return all_of(ile(_negated(MODULUS), twice), less(twice, MODULUS))

    def value(self, pattern: Pattern, path: Bool) -> Integer:
        """An integer congruent to the pattern; obligations need hold only where `path` does."""
        match pattern:
            case Hole(name=name):
                return Variable(INTEGER, name, proper=True)
            case Number():
                return self._number(pattern)
            case Operation(op="arith.select", args=(p, x, y)):
                chosen = self.condition(p, path)
                then, otherwise = all_of(path, chosen), all_of(path, not_(chosen))
                return ite(chosen, self.value(x, then), self.value(y, otherwise))
            case Operation(op="arith.addi" | "arith.subi" | "arith.muli", args=(x, y)):
                return RING[pattern.op](self.value(x, path), self.value(y, path))
            case Operation(op="arith.mulsi_extended" | "arith.mului_extended", args=(x, y), attrs=(("result", 0),)):
                return imul(self.value(x, path), self.value(y, path))
            case Operation(op=op, args=(x, y)) if op in (SIGNED if self.signed else UNSIGNED):
                operation = (SIGNED if self.signed else UNSIGNED)[op]
                return operation(self._exactly(x, path), self._exactly(y, path))
            case _:
                raise Unreadable

    def equal(self, left: Pattern, right: Pattern) -> Bool:
        """Two patterns of one type are the same truth value, or the same integer."""
        if left.kind == BIT:
            return _same(self.condition(left, TRUE), self.condition(right, TRUE))
        return eq(self.value(left, TRUE), self.value(right, TRUE))

    def condition(self, pattern: Pattern, path: Bool) -> Bool:
        """The truth of a pattern of type i1."""
        match pattern:
            case Number(value=value):
                return TRUE if value else FALSE
            case Hole(name=name):
                return eq(Variable(INTEGER, name, proper=True), ONE)
            case Operation(op="arith.andi", args=(p, q)):
                return all_of(self.condition(p, path), self.condition(q, path))
            case Operation(op="arith.cmpi", args=(x, y)) if x.kind == BIT:
                same = _same(self.condition(x, path), self.condition(y, path))
                return _equality(pattern, same)
            case Operation(op="arith.cmpi", args=(x, y), attrs=(("predicate", "eq" | "ne"),)):
                return _equality(pattern, eq(self._exactly(x, path), self._exactly(y, path)))
            case Operation(op="arith.cmpi", args=(x, y), attrs=(("predicate", str(predicate)),)):
                if predicate[0] != ("s" if self.signed else "u"):
                    raise Unreadable
                return ORDER[predicate[1:]](self._exactly(x, path), self._exactly(y, path))
            case _:
                raise Unreadable

    def premise(self, pattern: Pattern) -> Bool:
        """The operator is neither undefined nor makes poison."""
        if not isinstance(pattern, Operation):
            raise Unreadable
        x, y = (self._exactly(a, TRUE) for a in pattern.args)
        match pattern.op, pattern.attrs:
            case ("arith.addi" | "arith.subi" | "arith.muli") as op, (("overflow", "nsw" | "nuw" as flag),) if (
                self.signed == (flag == "nsw")
            ):
                return self.in_range(RING[op](x, y))
            case op, attributes if op in (SIGNED if self.signed else UNSIGNED) and attributes in ((), EXACT):
                exact = [eq(_remainder(self.signed)(x, y), ZERO)] if attributes else []
                return all_of(self._divides(x, y), *exact)
            case _:
                raise Unreadable

    def _divides(self, x: Integer, y: Integer) -> Bool:
        """The division of `x` by `y` is defined."""
        if not self.signed:
            return not_(eq(y, ZERO))
        overflow = all_of(eq(imul(integer(2), x), _negated(MODULUS)), eq(y, integer(-1)))
        return all_of(not_(eq(y, ZERO)), not_(overflow))

    def _exactly(self, pattern: Pattern, path: Bool) -> Integer:
        """The value itself."""
        value = self.value(pattern, path)
        self.obligations.append(any_of(not_(path), self.in_range(value)))
        return value

    def _number(self, number: Number) -> Integer:
        match number.value:
            case int(value) if value in (0, 1):
                return integer(value)
            case int(value) if value in (-1, (1 << number.kind.width) - 1):
                return integer(-1) if self.signed else isum((MODULUS, integer(-1)))
            case _:
                raise Unreadable


def less(left: Integer, right: Integer) -> Bool:
    """`left < right`."""
    return not_(ile(right, left))


def _negated(value: Integer) -> Integer:
    return imul(integer(-1), value)


def _difference(left: Integer, right: Integer) -> Integer:
    return isum((left, _negated(right)))


def _same(left: Bool, right: Bool) -> Bool:
    return any_of(all_of(left, right), all_of(not_(left), not_(right)))


def _equality(pattern: Operation, same: Bool) -> Bool:
    match dict(pattern.attrs)["predicate"]:
        case "eq":
            return same
        case "ne":
            return not_(same)
        case _:
            raise Unreadable


def _magnitude(value: Integer) -> Integer:
    return ite(less(value, ZERO), _negated(value), value)


def _quotient_unsigned(left: Integer, right: Integer) -> Integer:
    return ite(eq(right, ZERO), isum((MODULUS, integer(-1))), ifloordiv(left, right))


def _remainder_unsigned(left: Integer, right: Integer) -> Integer:
    return ite(eq(right, ZERO), left, _difference(left, imul(right, ifloordiv(left, right))))


def _quotient_signed(left: Integer, right: Integer) -> Integer:
    """Rounded to zero; the values of SMT-LIB by 0. `MIN / -1` is congruent to what it wraps to."""
    negative = less(left, ZERO)
    size = ifloordiv(_magnitude(left), _magnitude(right))
    whole = ite(_same(negative, less(right, ZERO)), size, _negated(size))
    return ite(eq(right, ZERO), ite(negative, ONE, integer(-1)), whole)


def _remainder_signed(left: Integer, right: Integer) -> Integer:
    return _difference(left, imul(right, _quotient_signed(left, right)))


def _remainder(signed: bool) -> Callable[[Integer, Integer], Integer]:
    return _remainder_signed if signed else _remainder_unsigned


def _up(left: Integer, right: Integer) -> Integer:
    """The unsigned quotient rounded up, as `hecv.dialects.arith` says it."""
    quotient = _quotient_unsigned(left, right)
    return ite(eq(_remainder_unsigned(left, right), ZERO), quotient, isum((quotient, ONE)))


def _rounded(left: Integer, right: Integer, same_signs: bool) -> Integer:
    """The signed quotient, one further from zero where it is inexact and the signs are the same, or differ."""
    quotient = _quotient_signed(left, right)
    same = _same(less(left, ZERO), less(right, ZERO))
    inexact = not_(eq(_remainder_signed(left, right), ZERO))
    further = isum((quotient, ONE if same_signs else integer(-1)))
    return ite(all_of(inexact, same if same_signs else not_(same)), further, quotient)


RING: Final[dict[str, Callable[[Integer, Integer], Expression]]] = {
    "arith.addi": lambda x, y: isum((x, y)),
    "arith.subi": _difference,
    "arith.muli": imul,
}
UNSIGNED: Final[dict[str, Callable[[Integer, Integer], Integer]]] = {
    "arith.divui": _quotient_unsigned,
    "arith.remui": _remainder_unsigned,
    "arith.ceildivui": _up,
}
SIGNED: Final[dict[str, Callable[[Integer, Integer], Integer]]] = {
    "arith.divsi": _quotient_signed,
    "arith.remsi": _remainder_signed,
    "arith.ceildivsi": lambda x, y: _rounded(x, y, True),
    "arith.floordivsi": lambda x, y: _rounded(x, y, False),
}
ORDER: Final[dict[str, Callable[[Integer, Integer], Bool]]] = {
    "lt": less,
    "le": ile,
    "gt": lambda x, y: less(y, x),
    "ge": lambda x, y: ile(y, x),
}
