"""Tensor comprehensions: a tensor as a function from indices to a scalar over the reals.

`out[i, j] = sum over k < n of x[i, k] * w[j, k]` is `lambda i, j: sum_of(n, lambda k: x[i, k] * w[j, k])`.
Definitions of ops are written in this language, once; proof, evaluation and audit are other readings of the same
terms. The form is that of SPORES (Wang et al., VLDB 2020), with quotients of indices for reshapes and conditions for
masks.

Three sorts of terms, all hash-consed: terms are equal exactly if they are the same object.

- `Index`: an integer, linear in variables, in quotients (rounded down, by positive numbers), and in scalars that are
  integers (indices read from a tensor);
- `Scalar`: a real number, or plus or minus infinity; a boolean tensor holds 0 and 1;
- `Condition`: true or false.

Sizes of tensors are numbers, or `Size`s, which stand for all numbers of a range.

Float types do not occur: casts between floats are the identity over the reals. A cast to integers is `trunc`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import count
from math import gcd
from typing import Any, Final, Literal, cast


class Undefined(Exception):
    """The op has no definition for these operands; the text says why."""


_TERMS: Final[dict[tuple[Any, ...], Any]] = {}
_NUMBERS: Final = count()


class Term:
    """A hash-consed term: `key` are its class and its parts, `number` counts terms in the order they were made."""

    __slots__ = ("key", "number")
    key: tuple[Any, ...]
    number: int

    def __new__(cls, *parts: Any) -> Any:
        key = (cls, *parts)
        found = _TERMS.get(key)
        if found is None:
            found = object.__new__(cls)
            found.key, found.number = key, next(_NUMBERS)
            _TERMS[key] = found
        return found

    def __reduce__(self) -> Any:
        return self.key[0], self.key[1:]

    def __repr__(self) -> str:
        return show(self)

    def text(self) -> str:
        """This term as text, of the kinds that `show` does not know."""
        raise TypeError(f"no term: {self.key}")


# Indices


class Variable(Term):
    """An index variable with `0 <= v < extent`."""

    __slots__ = ()
    identity = property(lambda self: cast(int, self.key[1]))
    extent = property(lambda self: cast(int, self.key[2]))

    def text(self) -> str:
        return f"i{self.identity % (1 << 40)}"


class Quotient(Term):
    """`dividend floordiv divisor`, with a positive divisor."""

    __slots__ = ()
    dividend = property(lambda self: cast("Index", self.key[1]))
    divisor = property(lambda self: cast(int, self.key[2]))


class Position(Term):
    """A scalar that is an integer, used as an index (`table[ids[t]]`)."""

    __slots__ = ()
    scalar = property(lambda self: cast("Scalar", self.key[1]))


Atom = Variable | Quotient | Position


class Index(Term):
    """`constant + sum of coefficient * atom`; coefficients are not zero, atoms in the order of their numbers."""

    __slots__ = ()
    constant = property(lambda self: cast(int, self.key[1]))
    terms = property(lambda self: cast(tuple[tuple[Atom, int], ...], self.key[2]))

    def __add__(self, other: Index | int) -> Index:
        right = index(other)
        return linear(self.constant + right.constant, (*self.terms, *right.terms))

    __radd__ = __add__

    def __neg__(self) -> Index:
        return self * -1

    def __sub__(self, other: Index | int) -> Index:
        return self + index(other) * -1

    def __rsub__(self, other: int) -> Index:
        return index(other) - self

    def __mul__(self, factor: int) -> Index:
        if isinstance(factor, Size):
            return factor.scaled(self)
        return linear(self.constant * factor, tuple((atom, c * factor) for atom, c in self.terms))

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Index:
        if isinstance(divisor, Size):
            return divisor.quotient(self)
        if divisor < 1:
            raise ValueError(f"divisor {divisor} is not positive")
        if divisor == 1:
            return self
        whole = linear(self.constant // divisor, tuple((a, c // divisor) for a, c in self.terms if c % divisor == 0))
        rest = linear(self.constant % divisor, tuple((a, c) for a, c in self.terms if c % divisor))
        return whole + _quotient(rest, divisor)

    def __mod__(self, divisor: int) -> Index:
        return self - (self // divisor) * divisor

    def __lt__(self, other: Index | int) -> Condition:
        return at_least_zero(index(other) - self - 1)

    def __le__(self, other: Index | int) -> Condition:
        return at_least_zero(index(other) - self)

    def __gt__(self, other: Index | int) -> Condition:
        return at_least_zero(self - index(other) - 1)

    def __ge__(self, other: Index | int) -> Condition:
        return at_least_zero(self - index(other))

    def equals(self, other: Index | int) -> Condition:
        """The condition that both are the same number."""
        return both(self <= other, self >= other)


def linear(constant: int, terms: Sequence[tuple[Atom, int]]) -> Index:
    """The index of these parts; atoms may repeat."""
    found: dict[Atom, int] = {}
    for atom, coefficient in terms:
        found[atom] = found.get(atom, 0) + coefficient
    kept = sorted(((a, c) for a, c in found.items() if c), key=lambda t: t[0].number)
    return Index(constant, tuple(kept))


def index(value: Index | int) -> Index:
    """`value` as an index."""
    if isinstance(value, Size):
        return value.index
    return value if isinstance(value, Index) else Index(value, ())


def index_range(value: Index) -> tuple[int | None, int | None]:
    """The least and the greatest value, None where there is none that is known."""
    coefficients = dict(value.terms)
    for atom, c in value.terms:
        if isinstance(atom, Quotient) and c % atom.divisor == 0:  # a multiple of `e mod d`
            factor = -c // atom.divisor
            first, own = atom.dividend.terms[0]
            if coefficients.get(first) == factor * own:
                low, high = index_range(value - atom.dividend * factor - linear(0, ((atom, c),)))
                most = factor * (atom.divisor - 1)
                return _plus(low, min(0, most)), _plus(high, max(0, most))
    low = high = cast("int | None", value.constant)
    for atom, c in value.terms:
        least, most = _atom_range(atom)
        if c < 0:
            least, most = most, least
        low = None if low is None or least is None else low + c * least
        high = None if high is None or most is None else high + c * most
    return low, high


def _plus(bound: int | None, by: int) -> int | None:
    return None if bound is None else bound + by


def _atom_range(atom: Atom) -> tuple[int | None, int | None]:
    if isinstance(atom, Variable):
        return (0, atom.extent - 1) if atom.extent > 0 else (None, None)
    if isinstance(atom, Quotient):
        low, high = index_range(atom.dividend)
        return None if low is None else low // atom.divisor, None if high is None else high // atom.divisor
    return None, None


def _quotient(rest: Index, divisor: int) -> Index:
    """`rest floordiv divisor`: ranges of variables decide it, or show that a lower digit does not count."""
    low, high = index_range(rest)
    if low is not None and high is not None and low // divisor == high // divisor:
        return index(low // divisor)
    for step in sorted({gcd(c, divisor) for _, c in rest.terms} - {1}, reverse=True):
        low, high = index_range(linear(rest.constant % step, [(a, c) for a, c in rest.terms if c % step]))
        if low is not None and high is not None and low >= 0 and high < step:
            upper = linear(rest.constant // step, [(a, c // step) for a, c in rest.terms if c % step == 0])
            return upper // (divisor // step)
    if len(rest.terms) == 1 and rest.terms[0][1] == 1 and isinstance(inner := rest.terms[0][0], Quotient):
        return (inner.dividend + rest.constant * inner.divisor) // (inner.divisor * divisor)
    return linear(0, ((Quotient(rest, divisor), 1),))


_VARIABLES: Final = count()


def fresh(extent: int) -> Index:
    """A new index variable below `extent`; a dimension of size 1 has the index 0 alone. Below a `Size` it is one below
    the greatest value of that: `inside` is the condition that it is below the size itself."""
    if isinstance(extent, Size):
        return fresh(extent.most)
    return Index(0, ()) if extent == 1 else linear(0, ((Variable(next(_VARIABLES), extent), 1),))


def position(scalar: Scalar) -> Index:
    """A scalar that holds integers, as an index."""
    if isinstance(scalar, Real):
        return scalar.index
    if isinstance(scalar, RealLiteral) and isinstance(scalar.value, Fraction) and scalar.value.denominator == 1:
        return index(int(scalar.value))
    return linear(0, ((Position(scalar), 1),))


# Sizes


class Size(Term):
    """The size of a dimension that may be any value of an index, whose variables are sizes too: `s`, `2 * s + 1`.

    It computes and compares as the number that it is, where that is one index, and the same for all values.

    Raises: Undefined where it is not.
    """

    __slots__ = ()
    index = property(lambda self: cast("Index", self.key[1]))

    @property
    def least(self) -> int:
        return cast(int, index_range(self.index)[0])

    @property
    def most(self) -> int:
        return cast(int, index_range(self.index)[1])

    def scaled(self, factor: Index) -> Index:
        """The product with an index, which has to be a number."""
        if factor.terms:
            raise Undefined(f"a product with the size {self}")
        return self.index * factor.constant

    def quotient(self, dividend: Index) -> Index:
        """`dividend floordiv self`, which has to be 0: a place below this size."""
        low, _ = index_range(dividend)
        _, high = index_range(dividend - self.index)
        if low is not None and low >= 0 and high is not None and high < 0:
            return index(0)
        raise Undefined(f"a quotient by the size {self}")

    def _sign(self, other: Any, text: str) -> int:
        """The sign of the difference to a number or a size."""
        low, high = index_range(self.index - _whole(other))
        if low is not None and high is not None and (low > 0 or high < 0 or low == high == 0):
            return (low > 0) - (high < 0)
        raise Undefined(f"whether the size {self} {text} {index(other)} depends on it")

    def _bounded(self, other: Any) -> tuple[int, int]:
        low, high = index_range(self.index - _whole(other))
        return cast(int, low), cast(int, high)

    def __add__(self, other: Any) -> Any:
        return sized(self.index + _whole(other)) if _is_size(other) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Any:
        return sized(-self.index)

    def __sub__(self, other: Any) -> Any:
        return sized(self.index - _whole(other)) if _is_size(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return sized(_whole(other) - self.index) if _is_size(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Size):
            raise Undefined(f"the product of the sizes {self} and {other}")
        return sized(self.index * other) if isinstance(other, int) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Scalar:
        return scalar(self) / other

    def __rtruediv__(self, other: Any) -> Scalar:
        return scalar(other) / scalar(self)

    def __floordiv__(self, other: Any) -> Any:
        return sized(self.index // other) if isinstance(other, int) else sized(other.quotient(self.index))

    def __mod__(self, other: Any) -> Any:
        return sized(self.index - self.index // other * other)

    def __rmod__(self, other: int) -> Any:
        if -self.least <= other < self.least:
            return other if other >= 0 else self + other
        raise Undefined(f"{other} modulo the size {self}")

    def __lt__(self, other: Any) -> bool:
        if not _is_size(other):
            return NotImplemented
        low, high = self._bounded(other)
        return high < 0 or (low < 0 and self._sign(other, "is less than") < 0)

    def __le__(self, other: Any) -> bool:
        if not _is_size(other):
            return NotImplemented
        low, high = self._bounded(other)
        return high <= 0 or (low <= 0 and self._sign(other, "is at most") <= 0)

    def __gt__(self, other: Any) -> bool:
        if not _is_size(other):
            return NotImplemented
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        if not _is_size(other):
            return NotImplemented
        return not self < other

    def __eq__(self, other: object) -> bool:
        return self is other or (_is_size(other) and self._sign(other, "is") == 0)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __index__(self) -> int:
        raise Undefined(f"the size {self} stands where a number is needed")

    def __iter__(self) -> Any:
        raise Undefined(f"the size {self} stands where a list is needed")

    def __bool__(self) -> bool:
        return self._sign(0, "is") != 0

    def text(self) -> str:
        return show(self.index)


def _is_size(value: object) -> bool:
    return isinstance(value, (int, Fraction, Size))


def _whole(value: Any) -> Any:
    if isinstance(value, Fraction):
        if value.denominator != 1:
            raise Undefined(f"a size less {value}")
        return int(value)
    return value


def sized(value: Index) -> Any:
    """An index as the size of a dimension: a number if it is one."""
    return Size(value) if value.terms else value.constant


def inside(indices: Sequence[Index], shape: Sequence[int]) -> Condition:
    """The condition that indices of variables, one a dimension, are below those sizes that are no numbers."""
    return both(*(i < n for i, n in zip(indices, shape, strict=True) if isinstance(n, Size)))


# Scalars


class Scalar(Term):
    """A real number or an infinity."""

    __slots__ = ()

    def __add__(self, other: Scalar | Number) -> Scalar:
        return Apply("add", (self, scalar(other)))

    __radd__ = __add__

    def __sub__(self, other: Scalar | Number) -> Scalar:
        return self + scalar(other) * -1

    def __rsub__(self, other: Number) -> Scalar:
        return scalar(other) - self

    def __neg__(self) -> Scalar:
        return self * -1

    def __mul__(self, other: Scalar | Number) -> Scalar:
        return Apply("mul", (self, scalar(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar | Number) -> Scalar:
        return self * Apply("reciprocal", (scalar(other),))

    def __rtruediv__(self, other: Number) -> Scalar:
        return scalar(other) / self


Number = int | float | Fraction | Size


class RealLiteral(Scalar):
    """A number: a fraction, or a float that is an infinity."""

    __slots__ = ()
    value = property(lambda self: cast("Fraction | float", self.key[1]))


class Real(Scalar):
    """An index as a real number."""

    __slots__ = ()
    index = property(lambda self: cast(Index, self.key[1]))


class Read(Scalar):
    """An element of a leaf or of a value that is held for a leaf."""

    __slots__ = ()
    tensor = property(lambda self: cast(str, self.key[1]))
    indices = property(lambda self: cast(tuple[Index, ...], self.key[2]))


class Apply(Scalar):
    """A function of scalars, by its name in `FUNCTIONS`."""

    __slots__ = ()
    function = property(lambda self: cast(str, self.key[1]))
    operands = property(lambda self: cast(tuple[Scalar, ...], self.key[2]))


class Reduce(Scalar):
    """`sum`, `max`, `min` or `product` of `body` over all values of `variables`; of nothing it is 0, -inf, inf or 1."""

    __slots__ = ()
    kind = property(lambda self: cast(str, self.key[1]))
    variables = property(lambda self: cast(tuple[Variable, ...], self.key[2]))
    body = property(lambda self: cast(Scalar, self.key[3]))


class Select(Scalar):
    """`condition ? yes : no`; the other arm is not evaluated, and may be an element out of range."""

    __slots__ = ()
    condition = property(lambda self: cast("Condition", self.key[1]))
    yes = property(lambda self: cast(Scalar, self.key[2]))
    no = property(lambda self: cast(Scalar, self.key[3]))


FUNCTIONS: Final = (
    *("add", "mul", "reciprocal", "max", "min", "abs", "sign", "floor", "ceil", "trunc", "round"),
    *("exp", "log", "log1p", "expm1", "sqrt", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "erf"),
)
"""Functions of `Apply`. `round` rounds ties to even, `trunc` to zero; `pow(x, y)` is x to the y. What can be said by
these is not a function of its own: rsqrt is the reciprocal of sqrt, sigmoid is 1 / (1 + exp(-x)). A name with a dot is
an opaque function, equal to itself alone."""


def scalar(value: Scalar | Number) -> Scalar:
    """`value` as a scalar. Floats are the numbers that they are, exactly.

    Raises: Undefined if it is NaN.
    """
    if isinstance(value, Scalar):
        return value
    if isinstance(value, Size):
        return real(value.index)
    if value != value:
        raise Undefined("NaN is no number")
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return RealLiteral(value)
    return RealLiteral(Fraction(value))


def real(value: Index | int) -> Scalar:
    """An index as a real number."""
    found = index(value)
    return Real(found) if found.terms else scalar(found.constant)


def apply(function: str, *operands: Scalar | Number) -> Scalar:
    """A function of scalars."""
    return Apply(function, tuple(map(scalar, operands)))


def reduce_over(kind: str, extents: Sequence[int], body: Callable[..., Scalar]) -> Scalar:
    """The reduction of `body` over index variables with these extents."""
    nothing = scalar({"sum": 0, "max": float("-inf"), "min": float("inf"), "product": 1}[kind])
    if any(n == 0 for n in extents if not isinstance(n, Size)):
        return nothing
    indices = [fresh(n) for n in extents]
    variables = tuple(cast(Variable, i.terms[0][0]) for i in indices if i.terms)
    term = select(inside(indices, extents), body(*indices), nothing)
    return Reduce(kind, variables, term) if variables else term


def sum_of(extents: int | Sequence[int], body: Callable[..., Scalar]) -> Scalar:
    """The sum of `body` over index variables with these extents."""
    return reduce_over("sum", (extents,) if isinstance(extents, int | Size) else extents, body)


def max_of(extents: int | Sequence[int], body: Callable[..., Scalar]) -> Scalar:
    """The maximum of `body` over index variables with these extents."""
    return reduce_over("max", (extents,) if isinstance(extents, int | Size) else extents, body)


def select(condition: Condition, yes: Scalar | Number, no: Scalar | Number) -> Scalar:
    """`condition ? yes : no`."""
    if condition is TRUE or condition is FALSE:
        return scalar(yes if condition is TRUE else no)
    return Select(condition, scalar(yes), scalar(no))


def truth(condition: Condition) -> Scalar:
    """1 where the condition holds, 0 where it does not."""
    return select(condition, 1, 0)


# Conditions


class Condition(Term):
    """True or false."""

    __slots__ = ()


class Constant(Condition):
    """True or false, always."""

    __slots__ = ()
    value = property(lambda self: cast(bool, self.key[1]))


class AtLeastZero(Condition):
    """`index >= 0`."""

    __slots__ = ()
    index = property(lambda self: cast(Index, self.key[1]))


class Compare(Condition):
    """`left < right`, `left <= right` or `left == right` of scalars."""

    __slots__ = ()
    relation = property(lambda self: cast('Literal["lt", "le", "eq"]', self.key[1]))
    left = property(lambda self: cast(Scalar, self.key[2]))
    right = property(lambda self: cast(Scalar, self.key[3]))


class Not(Condition):
    """The condition does not hold."""

    __slots__ = ()
    condition = property(lambda self: cast(Condition, self.key[1]))


class All(Condition):
    """All of these hold; they are in the order of their numbers, without repetition."""

    __slots__ = ()
    conditions = property(lambda self: cast(tuple[Condition, ...], self.key[1]))


TRUE: Final = Constant(True)
FALSE: Final = Constant(False)


def at_least_zero(value: Index) -> Condition:
    """`value >= 0`; true or false where the ranges of the variables decide it."""
    low, high = index_range(value)
    if low is not None and low >= 0:
        return TRUE
    return FALSE if high is not None and high < 0 else AtLeastZero(value)


def negate(condition: Condition) -> Condition:
    """The condition does not hold."""
    if isinstance(condition, Constant):
        return Constant(not condition.value)
    if isinstance(condition, Not):
        return condition.condition
    if isinstance(condition, AtLeastZero):
        return at_least_zero(-condition.index - 1)
    return Not(condition)


def both(*conditions: Condition) -> Condition:
    """All conditions hold."""
    flat = {p for c in conditions for p in (c.conditions if isinstance(c, All) else (c,))} - {TRUE}
    if FALSE in flat:
        return FALSE
    parts = tuple(sorted(flat, key=lambda c: c.number))
    return TRUE if not parts else parts[0] if len(parts) == 1 else All(parts)


def either(*conditions: Condition) -> Condition:
    """At least one condition holds."""
    return negate(both(*map(negate, conditions)))


def compare(relation: Literal["lt", "le", "eq"], left: Scalar | Number, right: Scalar | Number) -> Condition:
    """A comparison of scalars; of indices it is one of indices, and of a boolean with 0 or 1 it is its condition."""
    first, second = scalar(left), scalar(right)
    i, j = _index_of(first), _index_of(second)
    if i is not None and j is not None:
        return {"lt": i < j, "le": i <= j, "eq": i.equals(j)}[relation]
    return Compare(relation, first, second)


def _index_of(value: Scalar) -> Index | None:
    if isinstance(value, Real):
        return value.index
    if isinstance(value, RealLiteral) and isinstance(value.value, Fraction) and value.value.denominator == 1:
        return index(int(value.value))
    return None


def holds(value: Scalar) -> Condition:
    """The boolean `value` (0 or 1) as a condition; of a number, that it is not 0."""
    if isinstance(value, Select) and isinstance(value.yes, RealLiteral) and isinstance(value.no, RealLiteral):
        yes, no = value.yes.value != 0, value.no.value != 0
        return Constant(yes) if yes == no else value.condition if yes else negate(value.condition)
    return negate(compare("eq", value, 0))


# Tensors


class Comprehension:
    """A tensor: its sizes, and the element at given indices as a term.

    `tensor[i, j]` is that element; indices are not checked against the sizes, since a selection may guard them.
    """

    __slots__ = ("_at", "element", "shape")

    def __init__(self, shape: Sequence[int], at: Callable[..., Scalar], element: str = "f64") -> None:
        self.shape: Final = tuple(shape)
        self.element: Final = element
        self._at: Final = at

    def __getitem__(self, indices: Index | int | tuple[Index | int, ...]) -> Scalar:
        given = indices if isinstance(indices, tuple) else (indices,)
        if len(given) != len(self.shape):
            raise ValueError(f"{len(given)} indices of a tensor with {len(self.shape)} dimensions")
        places = zip(given, self.shape, strict=True)
        return self._at(*(index(0) if not isinstance(n, Size) and n == 1 else index(i) for i, n in places))

    @property
    def rank(self) -> int:
        return len(self.shape)

    def generic(self) -> tuple[tuple[Index, ...], Scalar]:
        """Fresh index variables, one a dimension, and the element there; where a dimension has a `Size`, the variable
        may be beyond it."""
        indices = tuple(fresh(n) for n in self.shape)
        return indices, self[indices]


def leaf(name: str, shape: Sequence[int], element: str = "f64") -> Comprehension:
    """A tensor whose elements are given."""
    return Comprehension(shape, lambda *indices: Read(name, indices), element)


def show(term: Term) -> str:
    """A term as text."""
    match term:
        case Quotient():
            return f"({show(term.dividend)} // {term.divisor})"
        case Position():
            return show(term.scalar)
        case Index():
            parts = [show(a) if c == 1 else f"{c} * {show(a)}" for a, c in term.terms]
            return " + ".join([*parts, str(term.constant)] if term.constant or not parts else parts)
        case RealLiteral():
            return str(term.value)
        case Real():
            return f"({show(term.index)})"
        case Read():
            return f"{term.tensor}[{', '.join(map(show, term.indices))}]"
        case Apply(function="add"):
            return f"({' + '.join(map(show, term.operands))})"
        case Apply(function="mul"):
            return f"{' * '.join(map(show, term.operands))}"
        case Apply():
            return f"{term.function}({', '.join(map(show, term.operands))})"
        case Reduce():
            bound = ", ".join(f"{show(v)} < {v.extent}" for v in term.variables)
            return f"{term.kind}[{bound}]({show(term.body)})"
        case Select():
            return f"({show(term.condition)} ? {show(term.yes)} : {show(term.no)})"
        case Constant():
            return str(term.value).lower()
        case AtLeastZero():
            return f"{show(term.index)} >= 0"
        case Compare():
            sign = {"lt": "<", "le": "<=", "eq": "=="}[term.relation]
            return f"{show(term.left)} {sign} {show(term.right)}"
        case Not():
            return f"not ({show(term.condition)})"
        case All():
            return " and ".join(f"({show(c)})" for c in term.conditions)
        case _:
            return term.text()


def product_of(factors: Sequence[Scalar]) -> Scalar:
    """The product of scalars; of none it is 1."""
    return reduce(lambda a, b: a * b, factors) if factors else scalar(1)
