"""Tensor comprehensions: a tensor as a function from indices to a scalar over the reals.

`out[i, j] = sum over k < n of x[i, k] * w[j, k]` is `lambda i, j: sum_of(n, lambda k: x[i, k] * w[j, k])`.
Definitions of ops are written in this language, once; proof, evaluation and audit are other readings of the same
terms. The form is that of SPORES (Wang et al., VLDB 2020), with quotients of indices for reshapes and conditions for
masks.

Three sorts of terms:

- `Index` (`index_terms.py`): an integer, linear in variables, in quotients (rounded down, by positive numbers), and in
  scalars that are integers (indices read from a tensor);
- `Scalar`: a real number, or plus or minus infinity; a boolean tensor holds 0 and 1;
- `Condition`: true or false.

Float types do not occur: casts between floats are the identity over the reals. A cast to integers is `trunc`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Final, Literal, cast

from hecv.tensors.index_terms import (
    FALSE,
    TRUE,
    Condition,
    Constant,
    Index,
    MergedIndex,
    Position,
    ProductSize,
    Size,
    Term,
    Undefined,
    Variable,
    factors_of,
    fresh,
    index,
    inside,
    linear,
    negate,
    single_indices,
)

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

    def text(self) -> str:
        return str(self.value)


class Real(Scalar):
    """An index as a real number."""

    __slots__ = ()
    index = property(lambda self: cast(Index, self.key[1]))

    def text(self) -> str:
        return f"({self.index.text()})"


class Read(Scalar):
    """An element of a leaf or of a value that is held for a leaf."""

    __slots__ = ()
    tensor = property(lambda self: cast(str, self.key[1]))
    indices = property(lambda self: cast(tuple[Index, ...], self.key[2]))

    def text(self) -> str:
        return f"{self.tensor}[{', '.join(i.text() for i in self.indices)}]"


class Apply(Scalar):
    """A function of scalars, by its name in `FUNCTIONS`."""

    __slots__ = ()
    function = property(lambda self: cast(str, self.key[1]))
    operands = property(lambda self: cast(tuple[Scalar, ...], self.key[2]))

    def text(self) -> str:
        parts = [x.text() for x in self.operands]
        match self.function:
            case "add":
                return f"({' + '.join(parts)})"
            case "mul":
                return " * ".join(parts)
            case _:
                return f"{self.function}({', '.join(parts)})"


class Reduce(Scalar):
    """`sum`, `max`, `min` or `product` of `body` over all values of `variables`; of nothing it is 0, -inf, inf or 1."""

    __slots__ = ()
    kind = property(lambda self: cast(str, self.key[1]))
    variables = property(lambda self: cast(tuple[Variable, ...], self.key[2]))
    body = property(lambda self: cast(Scalar, self.key[3]))

    def text(self) -> str:
        bound = ", ".join(f"{v.text()} < {v.extent}" for v in self.variables)
        return f"{self.kind}[{bound}]({self.body.text()})"


class Select(Scalar):
    """`condition ? yes : no`; the other arm is not evaluated, and may be an element out of range."""

    __slots__ = ()
    condition = property(lambda self: cast("Condition", self.key[1]))
    yes = property(lambda self: cast(Scalar, self.key[2]))
    no = property(lambda self: cast(Scalar, self.key[3]))

    def text(self) -> str:
        return f"({self.condition.text()} ? {self.yes.text()} : {self.no.text()})"


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
    if isinstance(value, ProductSize):
        return product_of(tuple(map(scalar, value.factors)))
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
    variables = tuple(cast(Variable, i.terms[0][0]) for i in single_indices(indices) if i.terms)
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


def position(scalar: Scalar) -> Index:
    """A scalar that holds integers, as an index."""
    if isinstance(scalar, Real):
        return scalar.index
    if isinstance(scalar, RealLiteral) and isinstance(scalar.value, Fraction) and scalar.value.denominator == 1:
        return index(int(scalar.value))
    return linear(0, ((Position(scalar), 1),))


# Conditions on scalars


class Compare(Condition):
    """`left < right`, `left <= right` or `left == right` of scalars."""

    __slots__ = ()
    relation = property(lambda self: cast('Literal["lt", "le", "eq"]', self.key[1]))
    left = property(lambda self: cast(Scalar, self.key[2]))
    right = property(lambda self: cast(Scalar, self.key[3]))

    def text(self) -> str:
        sign = {"lt": "<", "le": "<=", "eq": "=="}[self.relation]
        return f"{self.left.text()} {sign} {self.right.text()}"


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
    return Comprehension(shape, lambda *indices: Read(name, _places(name, shape, indices)), element)


def _places(name: str, shape: Sequence[int], indices: Sequence[Index]) -> tuple[Index, ...]:
    """Where a leaf is read: merged dimensions are read at the index of each factor.

    Raises: Undefined if an index has other factors.
    """
    for i, n in zip(indices, shape, strict=True):
        if isinstance(n, ProductSize) != isinstance(i, MergedIndex) or (
            isinstance(i, MergedIndex) and i.sizes != factors_of(n)
        ):
            raise Undefined(f"`{name}` is read at other dimensions than were merged")
    return single_indices(indices)


def product_of(factors: Sequence[Scalar]) -> Scalar:
    """The product of scalars; of none it is 1."""
    return reduce(lambda a, b: a * b, factors) if factors else scalar(1)
