"""Proofs of laws over the exact integers, for every width at once.

For products and quotients, on which bit-blasting gives up. A pattern is read as an exact integer that is congruent to
its value modulo `N = 2**width`, for any `N >= 4`. Sums, differences and products of congruent operands are congruent,
so they may leave the range of the type. A quotient, a remainder or a comparison needs the exact value: its operands
must be proved in range, which is an obligation. Two sides that are one integer are congruent.

Each width has a modulus of its own, of which all that is known is that it is even, and at least twice that of any
lesser width: so a law with casts is proved for all widths in that order. An extension needs the exact value. A
truncation is congruent to what it truncates, as the lesser power of two divides the greater one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
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
from hecv.patterns.equations.equations import BIT, Equation, Kind, Number, Operation, Pattern, variables
from hecv.patterns.equations.equations import Variable as Hole
from hecv.patterns.equations.law_record import Instance
from hecv.smt.z3_goals import Proved, decide
from hecv.smt.z3_theory import Operand, Translator

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
    holes = variables(instance.equation.left)
    widths = _widths(instance.equation)
    names = [*holes, *[name(width) for width in widths for name in (_modulus_name, _half_name)]]
    operands = {name: Operand(z3.variable(name, INTEGER), z3.false) for name in names}
    values = [reader.in_range(Variable(INTEGER, name, proper=True), hole.kind) for name, hole in holes.items()]
    formulas = z3.translate_all((all_of(*reader.obligations), *_moduli(widths), *values, *premises), operands)
    return decide(formulas[0], formulas[1:], milliseconds) == Proved()


def _widths(equation: Equation) -> list[int]:
    """The widths of an equation in order, but for those of truth values."""
    where = () if equation.where is None else (equation.where,)
    stack: list[Pattern] = [equation.left, equation.right, *equation.given, *where]
    found: set[int] = set()
    while stack:
        part = stack.pop()
        if part.kind != BIT:
            found.add(part.kind.width)
        if isinstance(part, Operation):
            stack.extend(part.args)
    return sorted(found)


def _moduli(widths: Sequence[int]) -> list[Bool]:
    """What is known of the moduli of these widths, which rise."""
    known: list[Bool] = []
    for width in widths:
        half = Variable(INTEGER, _half_name(width), proper=True)
        known += [ile(integer(4), _modulus(width)), eq(_modulus(width), imul(integer(2), half))]
    for narrow, wide in pairwise(widths):
        known.append(ile(imul(integer(2), _modulus(narrow)), _modulus(wide)))
    return known


def _modulus_name(width: int) -> str:
    return f"modulus{width}"


def _half_name(width: int) -> str:
    return f"half{width}"


def _modulus(width: int) -> Integer:
    """`2**width`, of which little more is known than that it is even."""
    return Variable(INTEGER, _modulus_name(width), proper=True)


class Reader(Struct):
    """Reads patterns as integers, and collects the obligations."""

    signed: bool
    obligations: list[Bool] = field(default_factory=list[Bool])

    def in_range(self, value: Integer, kind: Kind) -> Bool:
        """The integer is a value of the type."""
        if kind == BIT:
            return all_of(ile(ZERO, value), ile(value, ONE))
        modulus = _modulus(kind.width)
        if not self.signed:
            return all_of(ile(ZERO, value), less(value, modulus))
        twice = imul(integer(2), value)
        return all_of(ile(_negated(modulus), twice), less(twice, modulus))

    def value(self, pattern: Pattern, path: Bool) -> Integer:
        """An integer congruent to the pattern; obligations need hold only where `path` does."""
        if pattern.kind == BIT:
            raise Unreadable
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
                return operation(self._exactly(x, path), self._exactly(y, path), _modulus(pattern.kind.width))
            case Operation(op="arith.extui" | "arith.extsi" as op, args=(x,)):
                return self._extended(self._exactly(x, path), x.kind, op == "arith.extsi")
            case Operation(op="arith.trunci", args=(x,)):
                return self.value(x, path)
            case _:
                raise Unreadable

    def _extended(self, value: Integer, kind: Kind, signed: bool) -> Integer:
        """The number that a value of `kind` is, signed or not."""
        if signed == self.signed:
            return value
        modulus = _modulus(kind.width)
        if signed:
            return ite(less(imul(integer(2), value), modulus), value, _difference(value, modulus))
        return ite(less(value, ZERO), isum((value, modulus)), value)

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
        if len(pattern.args) != 2:
            raise Unreadable
        kind, (x, y) = pattern.kind, (self._exactly(a, TRUE) for a in pattern.args)
        match pattern.op, pattern.attrs:
            case ("arith.addi" | "arith.subi" | "arith.muli") as op, (("overflow", "nsw" | "nuw" as flag),) if (
                self.signed == (flag == "nsw")
            ):
                return self.in_range(RING[op](x, y), kind)
            case op, attributes if op in (SIGNED if self.signed else UNSIGNED) and attributes in ((), EXACT):
                exact = [eq(_remainder(self.signed)(x, y, _modulus(kind.width)), ZERO)] if attributes else []
                return all_of(self._divides(x, y, _modulus(kind.width)), *exact)
            case _:
                raise Unreadable

    def _divides(self, x: Integer, y: Integer, modulus: Integer) -> Bool:
        """The division of `x` by `y` is defined."""
        if not self.signed:
            return not_(eq(y, ZERO))
        overflow = all_of(eq(imul(integer(2), x), _negated(modulus)), eq(y, integer(-1)))
        return all_of(not_(eq(y, ZERO)), not_(overflow))

    def _exactly(self, pattern: Pattern, path: Bool) -> Integer:
        """The value itself."""
        value = self.value(pattern, path)
        self.obligations.append(any_of(not_(path), self.in_range(value, pattern.kind)))
        return value

    def _number(self, number: Number) -> Integer:
        match number.value:
            case int(value) if value in (0, 1):
                return integer(value)
            case int(value) if value in (-1, (1 << number.kind.width) - 1):
                return integer(-1) if self.signed else isum((_modulus(number.kind.width), integer(-1)))
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


Division = Callable[[Integer, Integer, Integer], Integer]
"""The quotient or remainder of two integers, given the modulus."""


def _quotient_unsigned(left: Integer, right: Integer, modulus: Integer) -> Integer:
    return ite(eq(right, ZERO), isum((modulus, integer(-1))), ifloordiv(left, right))


def _remainder_unsigned(left: Integer, right: Integer, modulus: Integer) -> Integer:
    return ite(eq(right, ZERO), left, _difference(left, imul(right, ifloordiv(left, right))))


def _quotient_signed(left: Integer, right: Integer, modulus: Integer) -> Integer:
    """Rounded to zero; the values of SMT-LIB by 0. `MIN / -1` is congruent to what it wraps to."""
    negative = less(left, ZERO)
    size = ifloordiv(_magnitude(left), _magnitude(right))
    whole = ite(_same(negative, less(right, ZERO)), size, _negated(size))
    return ite(eq(right, ZERO), ite(negative, ONE, integer(-1)), whole)


def _remainder_signed(left: Integer, right: Integer, modulus: Integer) -> Integer:
    return _difference(left, imul(right, _quotient_signed(left, right, modulus)))


def _remainder(signed: bool) -> Division:
    return _remainder_signed if signed else _remainder_unsigned


def _up(left: Integer, right: Integer, modulus: Integer) -> Integer:
    """The unsigned quotient rounded up, as `hecv.ops.arith` says it."""
    quotient = _quotient_unsigned(left, right, modulus)
    return ite(eq(_remainder_unsigned(left, right, modulus), ZERO), quotient, isum((quotient, ONE)))


def _rounded(same_signs: bool) -> Division:
    """The signed quotient, one further from zero where it is inexact and the signs are the same, or differ."""

    def rounded(left: Integer, right: Integer, modulus: Integer) -> Integer:
        quotient = _quotient_signed(left, right, modulus)
        same = _same(less(left, ZERO), less(right, ZERO))
        inexact = not_(eq(_remainder_signed(left, right, modulus), ZERO))
        further = isum((quotient, ONE if same_signs else integer(-1)))
        return ite(all_of(inexact, same if same_signs else not_(same)), further, quotient)

    return rounded


RING: Final[dict[str, Callable[[Integer, Integer], Expression]]] = {
    "arith.addi": lambda x, y: isum((x, y)),
    "arith.subi": _difference,
    "arith.muli": imul,
}
UNSIGNED: Final[dict[str, Division]] = {
    "arith.divui": _quotient_unsigned,
    "arith.remui": _remainder_unsigned,
    "arith.ceildivui": _up,
}
SIGNED: Final[dict[str, Division]] = {
    "arith.divsi": _quotient_signed,
    "arith.remsi": _remainder_signed,
    "arith.ceildivsi": _rounded(True),
    "arith.floordivsi": _rounded(False),
}
ORDER: Final[dict[str, Callable[[Integer, Integer], Bool]]] = {
    "lt": less,
    "le": ile,
    "gt": lambda x, y: less(y, x),
    "ge": lambda x, y: ile(y, x),
}
