"""Float equality from IEEE-754's definition of an operation: the exact result, rounded once.

A float is a class, a sign and a real magnitude. How magnitudes are rounded is a function of which only this is known:
that it is one function of the magnitude for each format, and gives the numbers of the format back; and how magnitudes
are multiplied and divided, where neither is a literal, only that it is by a function, 0 where it has to be. What holds
for all such functions holds for those of each format, without a look at a bit: Z3 has equalities and linear arithmetic
to decide.

Rounding twice is more than that. A sum, difference, product, quotient or root of numbers of a format, made in a wider
one and then rounded to theirs, is the one that their own format makes (`innocuous`).

Let the narrow format have `p` digits and the least distance `h` between its numbers, the wide one `q >= 2p + 2` digits
and `k <= h / 4**p`, and its greatest exponent no smaller. Both round to nearest, so rounding an exact `v` twice differs
from rounding it once only if it makes `v` at first a midpoint `m` of two narrow numbers (all of them are wide numbers)
that `v` is not: between two midpoints the second rounding is constant. Then `|v - m| <= u / 2`, with `u` the distance
of wide numbers at `m`, at most `2|m| / 2**q`, or `k`. What overflows in the wide format does so in the narrow one.
Let `m = M b`, with `b` half the distance of narrow numbers at `m`, a power of two, and `M` odd, below `2**(p + 1)`; so
`u <= b / 2**(p + 1)`. Let `x = X a` and `y = Y c`, with powers of two `a` and `c` and integers below `2**p`.

- Sums: say `a >= c`. Where `c >= b`, `v` and `m` are multiples of `b`, and further apart than `u / 2`. Else `m` is no
  midpoint of subnormal numbers, as `c >= h`. `|v - m|` is at least `c`, so `c <= u / 2 <= b / 2**(p + 2)`, and `v` is
  less than `2**p c <= b / 4` away from `x`, a narrow number: these are at least `b` away from `m`.
- Products have `2p` digits, so they are wide numbers, or their last digit is less than `k`. Then `|v|` is less than
  `4**p k / 2 <= h / 2`: both ways it is rounded to a zero, of its sign.
- Quotients: `|v - m| = |X a - M Y b c| / |Y c|`, whose numerator is a multiple of `a` or of `b c`, and not 0. In the
  second case `|v - m| >= b / |Y| > b / 2**p > u / 2`. In the first `|v - m| >= a / |Y c| = |v| / |X| > |v| / 2**p`,
  which is more than `u / 2`: that is at most `|m| / 2**q`, or `k / 2` where `|v|` is at least `(h - k) / 2`.
- Roots, with `x = X a**2` and `X` below `2**(p + 1)`, are no subnormal numbers. `|v - m| = |x - m**2| / (v + m)`, whose
  numerator is a multiple of `a**2` or `b**2`. In the second case `v + m < 2**(p + 2) b`, so
  `|v - m| > b / 2**(p + 2) >= u / 2`. In the first `a**2 > v**2 / 2**(p + 1)`, so `|v - m|` is about `v / 2**(p + 2)`
  or more, and `u / 2` is at most `m / 2**(2p + 2)`.

Cites:    IEEE 754-2019, 4.3 (rounding), 5.1 (operations), 6.1, 6.3 (infinities, the sign of a zero); S. Figueroa, When
          is double rounding innocuous?, SIGNUM Newsletter 30 (3), 1995; P. Roux, Innocuous double rounding of basic
          arithmetic operations, Journal of Formalized Reasoning 7 (1), 2014.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, isinf, isnan
from typing import Any, Final

from msgspec import Struct

from hecv.base.theory import Apply, Constant, Expression, FloatSort, Sort, Variable
from hecv.smt.z3_goals import Proved, decide
from hecv.smt.z3_theory import Z3, Truth, Unencodable

DIGITS: Final = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
"""Significant bits of each format."""

LEAST: Final = {"f16": -24, "bf16": -133, "f32": -149, "f64": -1074}
"""Exponent of the least positive number of each format."""

ROUNDED: Final = frozenset({"fadd", "fsub", "fmul", "fdiv", "fsqrt"})
"""Operations to which `innocuous` applies."""

MODEST: Final = 8.0
"""Literals from 1/8 to this one are numbers of a format if they have few enough digits."""


class Number(Struct, frozen=True):
    """A float: class, sign and magnitude. `size` is its magnitude, 0 for NaN and infinities; NaN has no sign."""

    nan: Truth
    infinite: Truth
    negative: Truth
    size: Any


def equal_by_definition(left: Expression, right: Expression, milliseconds: int = 1000) -> bool:
    """True if both are equal for all values of their variables, however numbers are rounded.

    False if an operation is not known here, or the proof needs more than the facts above.
    """
    reader = _Reader()
    try:
        goal = reader.same(reader.number(left), reader.number(right))
    except Unencodable:
        return False
    return isinstance(decide(goal, reader.known, milliseconds), Proved)


class _Reader:
    """Translates expressions; `known` collects facts about their parts."""

    def __init__(self) -> None:
        self.context: Final[Any] = Z3.Context()
        self.known: Final[list[Truth]] = []
        self._real: Final[Any] = Z3.RealSort(self.context)
        self._no: Final[Truth] = Z3.BoolVal(False, self.context)
        self._zero: Final[Any] = Z3.RealVal(0, self.context)
        self._made: Final[dict[int, Number]] = {}
        self._alive: Final[list[Expression]] = []
        self._variables: Final[dict[str, Number]] = {}

    def same(self, left: Number, right: Number) -> Truth:
        """Both are one value."""
        parts = [left.infinite == right.infinite, left.negative == right.negative, left.size == right.size]
        return Z3.And(left.nan == right.nan, Z3.Implies(Z3.Not(left.nan), Z3.And(parts)))

    def number(self, e: Expression) -> Number:
        """A float.

        Raises: Unencodable.
        """
        found = self._made.get(id(e))
        if found is None:
            if not isinstance(e.sort, FloatSort) or e.sort.name not in DIGITS:
                raise Unencodable("no float that has a definition here")
            found = self._made[id(e)] = self._representable(self._number(e), e.sort.name)
            self._alive.append(e)
        return found

    def _number(self, e: Expression) -> Number:
        match e:
            case Variable(name=name):
                return self._variable(name)
            case Constant(value=value):
                return self._literal(float(value), e.sort)
            case Apply(op="ite", args=(condition, first, second)):
                chosen = self._truth(condition)
                one, other = self.number(first), self.number(second)
                pairs = zip(_fields(one), _fields(other), strict=True)
                return Number(*[Z3.If(chosen, a, b) for a, b in pairs])
            case Apply(op="fneg", args=(a,)):
                return self._negated(self.number(a))
            case Apply(op="fabs", args=(a,)):
                operand = self.number(a)
                return Number(operand.nan, operand.infinite, self._no, operand.size)
            case Apply(op="fadd" | "fsub" as op, args=(a, b)):
                right = self.number(b)
                return self._sum(self.number(a), self._negated(right) if op == "fsub" else right, e.sort)
            case Apply(op="fmul", args=(a, b)):
                exact = self._product(self.number(a), self.number(b))
                return self._rounded(exact, _signed(exact), exact.negative, e.sort)
            case Apply(op="fdiv", args=(a, b)):
                return self._quotient(self.number(a), self.number(b), e.sort)
            case Apply(op="fused", args=(a, b, c)):
                return self._sum(self._product(self.number(a), self.number(b)), self.number(c), e.sort)
            case Apply(op="fsqrt", args=(a,)):
                return self._root(self.number(a), e.sort)
            case Apply(op="to_float", name="to_nearest_even", args=(a,)):
                once = _rounded_once(a, e.sort)
                return self._converted(self.number(a), a.sort, e.sort) if once is None else self.number(once)
            case _:
                raise Unencodable("an operation that has no definition here")

    def _truth(self, e: Expression) -> Truth:
        match e:
            case Constant(value=bool(value)):
                return Z3.BoolVal(value, self.context)
            case Apply(op="not_", args=(a,)):
                return Z3.Not(self._truth(a))
            case Apply(op="any_of"):
                return Z3.Or(*map(self._truth, e.args), self._no)
            case Apply(op="all_of"):
                return Z3.And(*map(self._truth, e.args), Z3.Not(self._no))
            case Apply(op="is_nan", args=(a,)):
                return self.number(a).nan
            case Apply(op="is_infinite", args=(a,)):
                return self.number(a).infinite
            case Apply(op="is_negative", args=(a,)):
                return self.number(a).negative
            case Apply(op="flt" | "fle" | "feq" as op, args=(a, b)):
                return self._compared(op, self.number(a), self.number(b))
            case _:
                raise Unencodable("a condition that has no definition here")

    def _compared(self, op: str, left: Number, right: Number) -> Truth:
        infinities = [Z3.If(n.infinite, Z3.If(n.negative, -1, 1), 0) for n in (left, right)]
        sizes = [_signed(n) for n in (left, right)]
        equal = Z3.And(infinities[0] == infinities[1], sizes[0] == sizes[1])
        less = Z3.Or(
            infinities[0] < infinities[1],
            Z3.And(infinities[0] == infinities[1], infinities[0] == 0, sizes[0] < sizes[1]),
        )
        found = {"flt": less, "feq": equal, "fle": Z3.Or(less, equal)}[op]
        return Z3.And(Z3.Not(left.nan), Z3.Not(right.nan), found)

    # Operations

    def _variable(self, name: str) -> Number:
        if name not in self._variables:
            parts = ("nan", "infinite", "negative")
            nan, infinite, negative = (Z3.Bool(f"{name} {part}", self.context) for part in parts)
            size = Z3.Real(f"{name} size", self.context)
            self.known += [
                size >= 0,
                Z3.Implies(Z3.Or(nan, infinite), size == 0),
                Z3.Not(Z3.And(nan, Z3.Or(infinite, negative))),
            ]
            self._variables[name] = Number(nan, infinite, negative, size)
        return self._variables[name]

    def _literal(self, value: float, sort: Any) -> Number:
        """Raises: Unencodable for a literal that may not be a number of the format."""
        plain = not isnan(value) and not isinf(value)
        part = Fraction(value) if plain else Fraction(0)
        if part and not (1 / MODEST <= abs(value) <= MODEST and _digits(part) <= DIGITS[sort.name]):
            raise Unencodable("a literal that not every format has")
        size = Z3.RealVal(str(abs(part)), self.context)
        flags = (isnan(value), isinf(value), not isnan(value) and copysign(1.0, value) < 0)
        nan, infinite, negative = (Z3.BoolVal(flag, self.context) for flag in flags)
        return Number(nan, infinite, negative, size)

    def _negated(self, operand: Number) -> Number:
        negative = Z3.And(Z3.Not(operand.nan), Z3.Not(operand.negative))
        return Number(operand.nan, operand.infinite, negative, operand.size)

    def _sum(self, left: Number, right: Number, sort: Any) -> Number:
        """The rounded sum; the left operand may be an exact product. A sum that is exactly 0 is -0 only if both
        operands are."""
        clash = Z3.And(left.infinite, right.infinite, left.negative != right.negative)
        nan = Z3.Or(left.nan, right.nan, clash)
        infinite = Z3.And(Z3.Not(nan), Z3.Or(left.infinite, right.infinite))
        negative = Z3.If(left.infinite, left.negative, right.negative)
        special = Number(nan, infinite, Z3.And(infinite, negative), self._zero)
        return self._rounded(special, _signed(left) + _signed(right), Z3.And(left.negative, right.negative), sort)

    def _product(self, left: Number, right: Number) -> Number:
        """The exact product."""
        zeros = [Z3.And(Z3.Not(n.nan), Z3.Not(n.infinite), n.size == 0) for n in (left, right)]
        clash = Z3.Or(Z3.And(zeros[0], right.infinite), Z3.And(zeros[1], left.infinite))
        nan = Z3.Or(left.nan, right.nan, clash)
        infinite = Z3.And(Z3.Not(nan), Z3.Or(left.infinite, right.infinite))
        negative = Z3.And(Z3.Not(nan), left.negative != right.negative)
        size = Z3.If(Z3.Or(nan, infinite), self._zero, self._times(left.size, right.size))
        return Number(nan, infinite, negative, size)

    def _quotient(self, left: Number, right: Number, sort: Any) -> Number:
        zeros = [Z3.And(Z3.Not(n.nan), Z3.Not(n.infinite), n.size == 0) for n in (left, right)]
        clash = Z3.Or(Z3.And(zeros[0], zeros[1]), Z3.And(left.infinite, right.infinite))
        nan = Z3.Or(left.nan, right.nan, clash)
        infinite = Z3.And(Z3.Not(nan), Z3.Or(left.infinite, zeros[1]))
        negative = Z3.And(Z3.Not(nan), left.negative != right.negative)
        exact = Z3.If(Z3.Or(nan, infinite, right.infinite), self._zero, self._over(left.size, right.size))
        special = Number(nan, infinite, negative, exact)
        return self._rounded(special, _signed(special), negative, sort)

    def _root(self, operand: Number, sort: Any) -> Number:
        """The root of a number below 0 is NaN, the root of -0 is -0."""
        below = Z3.And(operand.negative, Z3.Or(operand.infinite, operand.size > 0))
        nan = Z3.Or(operand.nan, below)
        root = Z3.Function("root", self._real, self._real)(operand.size)
        self.known += [root >= 0, (root == 0) == (operand.size == 0)]
        special = Number(nan, Z3.And(operand.infinite, Z3.Not(nan)), self._no, self._zero)
        exact = Z3.If(Z3.Or(nan, operand.infinite), self._zero, root)
        return self._rounded(special, exact, operand.negative, sort)

    def _converted(self, operand: Number, given: Any, wanted: Any) -> Number:
        if _contains(wanted.name, given.name):
            return operand
        return self._rounded(operand, _signed(operand), operand.negative, wanted)

    def _rounded(self, special: Number, exact: Any, zero_sign: Truth, sort: Any) -> Number:
        """`special` where that is NaN or infinite, otherwise `exact` rounded to the format."""
        magnitude = Z3.If(exact < 0, -exact, exact)
        kept, beyond = self._rounding(sort.name)
        size, overflows = kept(magnitude), Z3.And(exact != 0, beyond(magnitude))
        self.known += [size >= 0]
        finite = Z3.Not(Z3.Or(special.nan, special.infinite))
        return Number(
            special.nan,
            Z3.Or(special.infinite, Z3.And(finite, overflows)),
            Z3.If(finite, Z3.If(exact == 0, zero_sign, exact < 0), special.negative),
            Z3.If(Z3.Or(Z3.Not(finite), overflows, exact == 0), self._zero, size),
        )

    def _representable(self, found: Number, name: str) -> Number:
        """The number, with the fact added that it is a number of its format."""
        kept, beyond = self._rounding(name)
        self.known += [Z3.Implies(found.size > 0, Z3.And(kept(found.size) == found.size, Z3.Not(beyond(found.size))))]
        return found

    def _rounding(self, name: str) -> tuple[Any, Any]:
        """A magnitude rounded, and whether it overflows."""
        kept = Z3.Function(f"rounded {name}", self._real, self._real)
        return kept, Z3.Function(f"overflows {name}", self._real, Z3.BoolSort(self.context))

    def _times(self, left: Any, right: Any) -> Any:
        if Z3.is_rational_value(left) or Z3.is_rational_value(right):
            return left * right
        first, second = sorted((left, right), key=lambda r: r.get_id())  # two reals commute
        found = Z3.Function("times", self._real, self._real, self._real)(first, second)
        self.known += [found >= 0, (found == 0) == Z3.Or(left == 0, right == 0)]
        return found

    def _over(self, left: Any, right: Any) -> Any:
        if Z3.is_rational_value(right) and not Z3.is_true(Z3.simplify(right == 0)):
            return left / right
        found = Z3.Function("over", self._real, self._real, self._real)(left, right)
        self.known += [found >= 0, Z3.Implies(right != 0, (found == 0) == (left == 0))]
        return found


def _fields(number: Number) -> tuple[Any, ...]:
    return number.nan, number.infinite, number.negative, number.size


def _signed(number: Number) -> Any:
    return Z3.If(number.negative, -number.size, number.size)


def innocuous(narrow: str, wide: str) -> bool:
    """True if an operation on numbers of the narrow format may be computed in the wide one and then rounded to the
    narrow one."""
    if not {narrow, wide} <= set(DIGITS):
        return False
    enough = DIGITS[wide] >= 2 * DIGITS[narrow] + 2 and LEAST[wide] + 2 * DIGITS[narrow] <= LEAST[narrow]
    return enough and _contains(wide, narrow)


def _rounded_once(e: Expression, sort: Sort) -> Expression | None:
    """An operation on numbers of a narrow format, computed in a wider one, as the operation of the narrow one; None
    otherwise."""
    if not isinstance(e, Apply) or e.op not in ROUNDED or not isinstance(e.sort, FloatSort):
        return None
    casts = [a for a in e.args if isinstance(a, Apply) and a.op == "to_float" and a.args[0].sort == sort]
    if len(casts) < len(e.args) or not isinstance(sort, FloatSort) or not innocuous(sort.name, e.sort.name):
        return None
    return Apply(e.op, sort, tuple(a.args[0] for a in casts))


def _digits(value: Fraction) -> int:
    """The significant bits of a number."""
    whole = abs(value.numerator)
    return (whole // (whole & -whole)).bit_length()


def _contains(wider: str, narrower: str) -> bool:
    """True if every number of the narrower format is one of the wider."""
    order = {"f16": ("f32", "f64"), "bf16": ("f32", "f64"), "f32": ("f64",)}
    return wider in order.get(narrower, ())
