"""The language of static laws: patterns over operators, and equations between them.

A law is an ordinary function that is traced: it is called with patterns as arguments and returns an `Equation` in them,
once for each choice of types (`hecv.patterns.equations.law_record`). Patterns are written with the operators of Python,
`x & (x | y)`, or with functions named after the MLIR ops, `divui(x, y)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from hecv.base.term import Attributes
from hecv.base.types import BOOL, FloatType, IndexType, IntType, OpaqueType, ScalarType


class Kind(Struct, frozen=True):
    """A type in the view of laws; `width` is the number of bits, 0 for a float."""

    type: ScalarType
    width: int


BIT = Kind(BOOL, 1)

Scalar = int | float
Compute = Callable[[Mapping[str, Scalar]], Mapping[str, Scalar] | None]


def kind_of(type_: ScalarType, index_width: int) -> Kind:
    """The kind of a type."""
    match type_:
        case IntType(width):
            return Kind(type_, width)
        case IndexType():
            return Kind(type_, index_width)
        case FloatType() | OpaqueType():
            return Kind(type_, 0)


def widens(narrow: Kind, wide: Kind) -> bool:
    """Whether both are `iN`, and `wide` has more bits, as `arith.extui` and `arith.extsi` require."""
    return isinstance(narrow.type, IntType) and isinstance(wide.type, IntType) and narrow.width < wide.width


class Pattern(Struct, frozen=True):
    """A term with variables ("holes")."""

    kind: Kind

    def __add__(self, other: Pattern) -> Pattern:
        return operation("arith.addi", self, other)

    def __sub__(self, other: Pattern) -> Pattern:
        return operation("arith.subi", self, other)

    def __mul__(self, other: Pattern) -> Pattern:
        return operation("arith.muli", self, other)

    def __and__(self, other: Pattern) -> Pattern:
        return operation("arith.andi", self, other)

    def __or__(self, other: Pattern) -> Pattern:
        return operation("arith.ori", self, other)

    def __xor__(self, other: Pattern) -> Pattern:
        return operation("arith.xori", self, other)

    def __lshift__(self, other: Pattern) -> Pattern:
        return operation("arith.shli", self, other)

    def __neg__(self) -> Pattern:
        """`0 - x`."""
        return zero(self) - self

    def __invert__(self) -> Pattern:
        """`x ^ -1`."""
        return self ^ ones(self)


class Variable(Pattern, frozen=True):
    """A variable for any term, or for a literal only. Two variables of one name stand for the same term."""

    name: str
    literal: bool = False


class Number(Pattern, frozen=True):
    """A literal: the residue for `iN`, the signed value for `index`, `float.hex` text for floats."""

    value: int | str


class Operation(Pattern, frozen=True):
    """An operator on patterns."""

    op: str
    args: tuple[Pattern, ...]
    attrs: Attributes = ()


class Equation(Struct, frozen=True):
    """`left = right`, between total values, without flags.

    `where` is an i1 pattern over literal variables: the law fires only where it is 1. `given` are premises: the
    operands of these operators are such that they are neither undefined nor poison, flags included. Premises are facts
    of one goal.

    `computed` maps the values of all literal variables of the left side to those of the literal variables that occur
    only on the right side; None if the equation is not claimed for these literals. It is no pattern, so an equation
    with it is audited for the literals that occur, see `at_literals`.
    """

    left: Pattern
    right: Pattern
    where: Pattern | None = None
    given: tuple[Operation, ...] = ()
    computed: Compute | None = None


def index_width(equation: Equation) -> int | None:
    """The bits of `index` in an equation; None if that type does not occur."""
    where = () if equation.where is None else (equation.where,)
    stack: list[Pattern] = [equation.left, equation.right, *equation.given, *where]
    while stack:
        part = stack.pop()
        if isinstance(part.kind.type, IndexType):
            return part.kind.width
        if isinstance(part, Operation):
            stack.extend(part.args)
    return None


def operation(op: str, *args: Pattern, to: Kind | None = None, **attrs: int | str | bool) -> Operation:
    """The operator on these operands; the result has the type `to`, or that of the operands. Flags that are off are
    left out."""
    kept = tuple(sorted((name, value) for name, value in attrs.items() if value is not False))
    return Operation(to or args[0].kind, op, args, kept)


def variables(pattern: Pattern) -> dict[str, Variable]:
    """The variables of a pattern by name."""
    match pattern:
        case Variable(name=name):
            return {name: pattern}
        case Operation(args=args):
            return {name: found for a in args for name, found in variables(a).items()}
        case _:
            return {}


def replaced(pattern: Pattern, parts: Mapping[str, Pattern]) -> Pattern:
    """The pattern with variables replaced by patterns."""
    match pattern:
        case Variable(name=name):
            return parts.get(name, pattern)
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            return Operation(kind, op, tuple(replaced(a, parts) for a in args), attrs)
        case _:
            return pattern


def at_literals(equation: Equation, values: Mapping[str, Scalar]) -> Equation | None:
    """An equation with `computed`, for literals of these values; None if it is not claimed for them."""
    assert equation.computed is not None
    found = equation.computed(values)
    if found is None:
        return None
    known = {**values, **found}
    holes = {**variables(equation.left), **variables(equation.right)}
    parts: dict[str, Pattern] = {
        name: Number(hole.kind, value.hex() if isinstance(value := known[name], float) else value)
        for name, hole in holes.items()
        if hole.literal
    }
    given = tuple(replaced(g, parts) for g in equation.given)
    return Equation(
        replaced(equation.left, parts),
        replaced(equation.right, parts),
        given=tuple(g for g in given if isinstance(g, Operation)),
    )


# Literals


def number(value: int, like: Pattern) -> Number:
    """An integer literal of the type of `like`, modulo `2**width`."""
    residue = value % (1 << like.kind.width)
    signed = isinstance(like.kind.type, IndexType) and residue >> (like.kind.width - 1)
    return Number(like.kind, residue - (1 << like.kind.width) if signed else residue)


def real(value: float, like: Pattern) -> Number:
    """A float literal of the type of `like`."""
    return Number(like.kind, value.hex())


def zero(like: Pattern) -> Number:
    """0."""
    return number(0, like)


def one(like: Pattern) -> Number:
    """1."""
    return number(1, like)


def ones(like: Pattern) -> Number:
    """-1: every bit is set."""
    return number(-1, like)


def width(like: Pattern) -> Number:
    """The number of bits; less than `2**width` for every width."""
    return number(like.kind.width, like)


def least(like: Pattern) -> Number:
    """The least signed value."""
    return number(1 << (like.kind.width - 1), like)


def greatest(like: Pattern) -> Number:
    """The greatest signed value."""
    return number((1 << (like.kind.width - 1)) - 1, like)


def truth(value: bool) -> Number:
    """A literal of type i1."""
    return Number(BIT, int(value))


# Integers


def divui(x: Pattern, y: Pattern, *, exact: bool = False) -> Operation:
    """`arith.divui`."""
    return operation("arith.divui", x, y, exact=exact)


def divsi(x: Pattern, y: Pattern, *, exact: bool = False) -> Operation:
    """`arith.divsi`."""
    return operation("arith.divsi", x, y, exact=exact)


def remui(x: Pattern, y: Pattern) -> Operation:
    """`arith.remui`."""
    return operation("arith.remui", x, y)


def remsi(x: Pattern, y: Pattern) -> Operation:
    """`arith.remsi`."""
    return operation("arith.remsi", x, y)


def ceildivui(x: Pattern, y: Pattern) -> Operation:
    """`arith.ceildivui`."""
    return operation("arith.ceildivui", x, y)


def ceildivsi(x: Pattern, y: Pattern) -> Operation:
    """`arith.ceildivsi`."""
    return operation("arith.ceildivsi", x, y)


def floordivsi(x: Pattern, y: Pattern) -> Operation:
    """`arith.floordivsi`."""
    return operation("arith.floordivsi", x, y)


def shrui(x: Pattern, y: Pattern, *, exact: bool = False) -> Operation:
    """`arith.shrui`."""
    return operation("arith.shrui", x, y, exact=exact)


def shrsi(x: Pattern, y: Pattern, *, exact: bool = False) -> Operation:
    """`arith.shrsi`."""
    return operation("arith.shrsi", x, y, exact=exact)


def minsi(x: Pattern, y: Pattern) -> Operation:
    """`arith.minsi`."""
    return operation("arith.minsi", x, y)


def maxsi(x: Pattern, y: Pattern) -> Operation:
    """`arith.maxsi`."""
    return operation("arith.maxsi", x, y)


def minui(x: Pattern, y: Pattern) -> Operation:
    """`arith.minui`."""
    return operation("arith.minui", x, y)


def maxui(x: Pattern, y: Pattern) -> Operation:
    """`arith.maxui`."""
    return operation("arith.maxui", x, y)


def cmpi(predicate: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.cmpi predicate`."""
    return operation("arith.cmpi", x, y, to=BIT, predicate=predicate)


def select(condition: Pattern, x: Pattern, y: Pattern) -> Operation:
    """`arith.select`."""
    return operation("arith.select", condition, x, y, to=x.kind)


# Casts


def extui(x: Pattern, to: Kind, *, nneg: bool = False) -> Operation:
    """`arith.extui`."""
    return operation("arith.extui", x, to=to, nneg=nneg)


def extsi(x: Pattern, to: Kind) -> Operation:
    """`arith.extsi`."""
    return operation("arith.extsi", x, to=to)


def trunci(x: Pattern, to: Kind) -> Operation:
    """`arith.trunci`."""
    return operation("arith.trunci", x, to=to)


def index_cast(x: Pattern, to: Kind) -> Operation:
    """`arith.index_cast`."""
    return operation("arith.index_cast", x, to=to)


def index_castui(x: Pattern, to: Kind) -> Operation:
    """`arith.index_castui`."""
    return operation("arith.index_castui", x, to=to)


def absi(x: Pattern) -> Operation:
    """`math.absi`."""
    return operation("math.absi", x)


def ctpop(x: Pattern) -> Operation:
    """`math.ctpop`."""
    return operation("math.ctpop", x)


def ctlz(x: Pattern) -> Operation:
    """`math.ctlz`."""
    return operation("math.ctlz", x)


def cttz(x: Pattern) -> Operation:
    """`math.cttz`."""
    return operation("math.cttz", x)


def ipowi(x: Pattern, y: Pattern) -> Operation:
    """`math.ipowi`."""
    return operation("math.ipowi", x, y)


def mulsi_high(x: Pattern, y: Pattern) -> Operation:
    """The high half of `arith.mulsi_extended`."""
    return operation("arith.mulsi_extended", x, y, result=1)


def mului_high(x: Pattern, y: Pattern) -> Operation:
    """The high half of `arith.mului_extended`."""
    return operation("arith.mului_extended", x, y, result=1)


# Premises


def add_without(flag: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.addi` with `nsw` or `nuw`."""
    return operation("arith.addi", x, y, overflow=flag)


def sub_without(flag: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.subi` with `nsw` or `nuw`."""
    return operation("arith.subi", x, y, overflow=flag)


def mul_without(flag: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.muli` with `nsw` or `nuw`."""
    return operation("arith.muli", x, y, overflow=flag)


def shl_without(flag: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.shli` with `nsw` or `nuw`."""
    return operation("arith.shli", x, y, overflow=flag)


# Floats


def addf(x: Pattern, y: Pattern) -> Operation:
    """`arith.addf`."""
    return operation("arith.addf", x, y)


def subf(x: Pattern, y: Pattern) -> Operation:
    """`arith.subf`."""
    return operation("arith.subf", x, y)


def mulf(x: Pattern, y: Pattern) -> Operation:
    """`arith.mulf`."""
    return operation("arith.mulf", x, y)


def divf(x: Pattern, y: Pattern) -> Operation:
    """`arith.divf`."""
    return operation("arith.divf", x, y)


def negf(x: Pattern) -> Operation:
    """`arith.negf`."""
    return operation("arith.negf", x)


def maximumf(x: Pattern, y: Pattern) -> Operation:
    """`arith.maximumf`."""
    return operation("arith.maximumf", x, y)


def minimumf(x: Pattern, y: Pattern) -> Operation:
    """`arith.minimumf`."""
    return operation("arith.minimumf", x, y)


def cmpf(predicate: str, x: Pattern, y: Pattern) -> Operation:
    """`arith.cmpf predicate`."""
    return operation("arith.cmpf", x, y, to=BIT, predicate=predicate)


def absf(x: Pattern) -> Operation:
    """`math.absf`."""
    return operation("math.absf", x)


def extf(x: Pattern, to: Kind) -> Operation:
    """`arith.extf`."""
    return operation("arith.extf", x, to=to)


def truncf(x: Pattern, to: Kind) -> Operation:
    """`arith.truncf`."""
    return operation("arith.truncf", x, to=to)


def sitofp(x: Pattern, to: Kind) -> Operation:
    """`arith.sitofp`."""
    return operation("arith.sitofp", x, to=to)


def uitofp(x: Pattern, to: Kind) -> Operation:
    """`arith.uitofp`."""
    return operation("arith.uitofp", x, to=to)
