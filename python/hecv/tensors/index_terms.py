"""Terms of indices: integers linear in variables, sizes of dimensions, and the conditions on both.

Terms are hash-consed: they are equal exactly if they are the same object. Sizes of tensors are numbers, or `Size`s,
which stand for all numbers of a range.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import gcd, prod
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from hecv.tensors.comprehension import Scalar


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
        return self.text()

    def text(self) -> str:
        """This term as text."""
        raise NotImplementedError


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

    def text(self) -> str:
        return f"({self.dividend.text()} // {self.divisor})"


class Position(Term):
    """A scalar that is an integer, used as an index (`table[ids[t]]`)."""

    __slots__ = ()
    scalar = property(lambda self: cast("Scalar", self.key[1]))

    def text(self) -> str:
        return self.scalar.text()


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

    def text(self) -> str:
        parts = [a.text() if c == 1 else f"{c} * {a.text()}" for a, c in self.terms]
        return " + ".join([*parts, str(self.constant)] if self.constant or not parts else parts)


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
    the greatest value of that: `inside` is the condition that it is below the size itself. Below a product it is a
    variable for each factor."""
    if isinstance(extent, ProductSize):
        return MergedIndex(tuple(map(fresh, extent.factors)), extent.factors)
    if isinstance(extent, Size):
        return fresh(extent.most)
    return Index(0, ()) if extent == 1 else linear(0, ((Variable(next(_VARIABLES), extent), 1),))


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
            return product_size((self, other))
        return sized(self.index * other) if isinstance(other, int) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return self * other

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
        return self.index.text()


class ProductSize(Size):
    """The size of a dimension that several dimensions were merged into, in row-major order, at least two of which are
    `Size`s. Its index is a `MergedIndex`; it is equal to itself alone, and the factors in another order are another
    size.

    Raises: Undefined where it would have to be one index.
    """

    __slots__ = ()
    factors = property(lambda self: cast("tuple[Any, ...]", self.key[1]))

    @property
    def index(self) -> Index:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise Undefined(f"the product {self.text()} stands where one size is needed")

    @property
    def least(self) -> int:
        return prod(n.least if isinstance(n, Size) else n for n in self.factors)

    @property
    def most(self) -> int:
        return prod(n.most if isinstance(n, Size) else n for n in self.factors)

    def _sign(self, other: Any, text: str) -> int:
        low, high = self._bounded(other)
        if low > 0 or high < 0:
            return (low > 0) - (high < 0)
        raise Undefined(f"whether the size {self} {text} {show_size(other)} depends on it")

    def _bounded(self, other: Any) -> tuple[int, int]:
        least, most = (other.least, other.most) if isinstance(other, Size) else (other, other)
        return self.least - most, self.most - least

    def __eq__(self, other: object) -> bool:
        return self is other or (_is_size(other) and self._sign(other, "is") == 0)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __mul__(self, other: Any) -> Any:
        return product_size((self, other)) if isinstance(other, int | Size) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return product_size((other, self)) if isinstance(other, int | Size) else NotImplemented

    def text(self) -> str:
        return " * ".join(f"({show_size(n)})" for n in self.factors)


def show_size(size: Any) -> str:
    """A size as text."""
    return size.text() if isinstance(size, Size) else str(size)


def factors_of(size: Any) -> tuple[Any, ...]:
    """The factors of a product in row-major order; of another size itself."""
    return size.factors if isinstance(size, ProductSize) else (size,)


def product_size(factors: Sequence[Any]) -> Any:
    """The product of sizes, in this order; one that is a multiple of a single size is a `Size`, or a number."""
    flat = [n for size in factors for n in factors_of(size)]
    if any(not isinstance(n, Size) and n == 0 for n in flat):
        return 0
    symbolic = [n for n in flat if isinstance(n, Size)]
    if len(symbolic) < 2:
        number = prod(n for n in flat if not isinstance(n, Size))
        return symbolic[0] * number if symbolic else number
    return ProductSize(tuple(n for n in flat if isinstance(n, Size) or n != 1))


class MergedIndex(Index):
    """An index of a dimension of a `ProductSize`: the index of each factor. It goes to where a tensor has that
    dimension, or is split into its parts, and nothing is computed with it.

    Raises: Undefined where it would have to be one number.
    """

    __slots__ = ()
    parts = property(lambda self: cast("tuple[Index, ...]", self.key[1]))
    sizes = property(lambda self: cast("tuple[Any, ...]", self.key[2]))

    @property
    def constant(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise Undefined(f"an index below {' * '.join(map(show_size, self.sizes))} stands where a number is needed")

    @property
    def terms(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise Undefined(f"an index below {' * '.join(map(show_size, self.sizes))} stands where a number is needed")

    def __add__(self, other: Index | int) -> Index:
        return self if index(other) is index(0) else super().__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Index | int) -> Index:
        return self if index(other) is index(0) else super().__sub__(other)

    def __mul__(self, factor: int) -> Index:
        return self if not isinstance(factor, Size) and factor == 1 else super().__mul__(factor)

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Index:
        return self if not isinstance(divisor, Size) and divisor == 1 else super().__floordiv__(divisor)


def single_indices(indices: Sequence[Index]) -> tuple[Index, ...]:
    """The indices, with all parts of those that are merged."""
    return tuple(p for i in indices for p in (single_indices(i.parts) if isinstance(i, MergedIndex) else (i,)))


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


def is_empty(shape: Sequence[int]) -> bool:
    """Whether a size is the number 0; one that is symbolic may be 0 for some values and does not count."""
    return any(not isinstance(n, Size) and n == 0 for n in shape)


def inside(indices: Sequence[Index], shape: Sequence[int]) -> Condition:
    """The condition that indices of variables, one a dimension, are below those sizes that are no numbers."""
    found: list[Condition] = []
    for i, n in zip(indices, shape, strict=True):
        if isinstance(n, ProductSize):
            if not isinstance(i, MergedIndex) or i.sizes != n.factors:
                raise Undefined(f"an index of {n} is not one of its factors")
            found.append(inside(i.parts, n.factors))
        elif isinstance(n, Size):
            found.append(i < n)
    return both(*found)


# Conditions


class Condition(Term):
    """True or false."""

    __slots__ = ()


class Constant(Condition):
    """True or false, always."""

    __slots__ = ()
    value = property(lambda self: cast(bool, self.key[1]))

    def text(self) -> str:
        return str(self.value).lower()


class AtLeastZero(Condition):
    """`index >= 0`."""

    __slots__ = ()
    index = property(lambda self: cast(Index, self.key[1]))

    def text(self) -> str:
        return f"{self.index.text()} >= 0"


class Not(Condition):
    """The condition does not hold."""

    __slots__ = ()
    condition = property(lambda self: cast(Condition, self.key[1]))

    def text(self) -> str:
        return f"not ({self.condition.text()})"


class All(Condition):
    """All of these hold; they are in the order of their numbers, without repetition."""

    __slots__ = ()
    conditions = property(lambda self: cast(tuple[Condition, ...], self.key[1]))

    def text(self) -> str:
        return " and ".join(f"({c.text()})" for c in self.conditions)


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
