"""Values of comprehensions on arrays, in f64: the reference against which definitions of ops are audited.

Terms are evaluated as they stand, by NumPy, on all values of their free variables at once; a term that occurs many
times is evaluated once. An element read out of range is NaN, so it shows unless a selection discards it. Reductions
over much more than a million elements go in chunks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from hecv.tensors.comprehension import Apply, Compare, Comprehension, Read, Real, RealLiteral, Reduce, Scalar, Select
from hecv.tensors.index_terms import All, AtLeastZero, Constant, Index, Not, Quotient, Term, Variable
from hecv.tensors.substitution import free_variables

Array = np.ndarray[Any, Any]

CHUNK: Final = 1 << 21
"""Elements that one array of a reduction may have: 16 MiB in f64."""

_UNARY: Final[dict[str, Callable[[Array], Array]]] = {
    "reciprocal": lambda x: 1.0 / x,
    "round": np.rint,
    "erf": lambda x: np.vectorize(math.erf, otypes=[np.float64])(x) if x.size else x,
    **{name: getattr(np, name) for name in ("abs", "sign", "floor", "ceil", "trunc", "exp", "log", "log1p", "expm1")},
    **{name: getattr(np, name) for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, name.replace("a", "arc", 1)) for name in ("asin", "acos", "atan")},
}
_BINARY: Final[dict[str, Callable[[Array, Array], Array]]] = {
    **{"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum},
    **{"pow": np.power, "atan2": np.arctan2},
}
_REDUCTIONS: Final[dict[str, Callable[..., Array]]] = {
    **{"sum": np.add.reduce, "product": np.multiply.reduce, "max": np.maximum.reduce, "min": np.minimum.reduce},
}

Reader = Callable[[str, Sequence[Array]], Array]
"""The elements of a leaf at these indices (integer arrays that broadcast to one shape)."""


def evaluate(
    tensor: Comprehension | tuple[Sequence[Index], Scalar],
    arrays: Mapping[str, Array],
    functions: Mapping[str, Callable[..., Array]] | None = None,
    rounded: Callable[[Array], Array] | None = None,
) -> Array:
    """The elements of a comprehension in f64, given its leaves; `functions` are the opaque ones, by name. What a
    function gives is `rounded`.

    A tuple is the index variables of the dimensions and the element there.

    Raises: KeyError for a leaf or a function that is not given.
    """
    indices, term = tensor.generic() if isinstance(tensor, Comprehension) else tensor

    def read(name: str, at: Sequence[Array]) -> Array:
        array = np.asarray(arrays[name])
        if array.ndim != len(at):
            raise ValueError(f"{name} has {array.ndim} dimensions and is read with {len(at)} indices")
        inside = np.True_
        for i, n in zip(at, array.shape, strict=True):
            inside = inside & (i >= 0) & (i < n)
        clipped = tuple(np.clip(i, 0, max(n - 1, 0)) for i, n in zip(at, array.shape, strict=True))
        if array.size == 0:
            return np.full(np.broadcast_shapes(*(i.shape for i in at)), np.nan)
        return np.where(inside, array[clipped].astype(np.float64), np.nan)

    variables = [cast(Variable, i.terms[0][0]) if i.terms else None for i in indices]
    values = {v: np.arange(v.extent) for v in variables if v is not None}
    axes = tuple(v for v in variables if v is not None)
    found = Evaluator(read, functions or {}, rounded).on(term, values, axes)
    shape = tuple(1 if v is None else v.extent for v in variables)
    return np.ascontiguousarray(np.broadcast_to(found, [v.extent for v in axes])).reshape(shape)


class Evaluator:
    """Values of terms. Each array has one axis for every free variable of its term, in the order of their numbers."""

    def __init__(
        self,
        read: Reader,
        functions: Mapping[str, Callable[..., Array]],
        rounded: Callable[[Array], Array] | None = None,
    ) -> None:
        self.read: Final = read
        self.functions: Final = functions
        self.rounded: Final = rounded
        self.free: Final[dict[Term, frozenset[Variable]]] = {}

    def on(self, term: Scalar, values: Mapping[Variable, Array], axes: Sequence[Variable]) -> Array:
        """The values of `term`, with these axes; `values` are the numbers that each free variable takes."""
        with np.errstate(all="ignore"):
            return _Scope(self, values).spread(term, axes)

    def axes(self, term: Term) -> tuple[Variable, ...]:
        return tuple(sorted(free_variables(term, self.free), key=lambda v: v.number))


class _Scope:
    """Values of terms while each variable in reach takes given numbers."""

    def __init__(self, evaluator: Evaluator, values: Mapping[Variable, Array], outer: _Scope | None = None) -> None:
        self.evaluator = evaluator
        self.own = values
        self.values: dict[Variable, Array] = {**(outer.values if outer else {}), **values}
        self.outer = outer
        self.memo: dict[Term, Array] = {}

    def spread(self, term: Term, axes: Sequence[Variable]) -> Array:
        """The values of `term` with exactly these axes: of size 1 where it does not depend on the variable."""
        own = self.evaluator.axes(term)
        order = sorted(range(len(axes)), key=lambda n: axes[n].number)
        array = self.array(term)
        shape = iter(array.shape)
        full = array.reshape([next(shape) if axes[n] in own else 1 for n in order])
        return full.transpose([order.index(n) for n in range(len(axes))]) if len(axes) > 1 else full

    def array(self, term: Term) -> Array:
        free = self.evaluator.axes(term)
        if self.outer is not None and not any(v in self.own for v in free):
            return self.outer.array(term)
        found = self.memo.get(term)
        if found is None:
            wanted = tuple(len(self.values[v]) for v in free)
            self.memo[term] = found = np.broadcast_to(self._value(term, free), wanted)
        return found

    def _value(self, term: Term, axes: tuple[Variable, ...]) -> Array:
        match term:
            case Variable():
                return self.values[term]
            case Quotient():
                return np.floor_divide(self.spread(term.dividend, axes), term.divisor)
            case Index():
                total = np.full((1,) * len(axes), term.constant, dtype=np.int64)
                for atom, c in term.terms:
                    total = total + c * self._whole(atom, axes)
                return total
            case RealLiteral():
                return np.full((1,) * len(axes), float(term.value))
            case Real():
                return self.spread(term.index, axes).astype(np.float64)
            case Read():
                return self.evaluator.read(term.tensor, [self.spread(i, axes) for i in term.indices])
            case Apply():
                found = self._apply(term, [self.spread(o, axes) for o in term.operands])
                return found if self.evaluator.rounded is None else self.evaluator.rounded(found)
            case Reduce():
                return self._reduce(term, axes)
            case Select():
                condition = self.spread(term.condition, axes)
                return np.where(condition, self.spread(term.yes, axes), self.spread(term.no, axes))
            case Constant():
                return np.full((1,) * len(axes), term.value)
            case AtLeastZero():
                return self.spread(term.index, axes) >= 0
            case Compare():
                relation = {"lt": np.less, "le": np.less_equal, "eq": np.equal}[term.relation]
                return relation(self.spread(term.left, axes), self.spread(term.right, axes))
            case Not():
                return np.logical_not(self.spread(term.condition, axes))
            case All():
                return np.logical_and.reduce(np.broadcast_arrays(*(self.spread(c, axes) for c in term.conditions)))
            case _:
                raise TypeError(f"{term} has no value")

    def _whole(self, atom: Term, axes: tuple[Variable, ...]) -> Array:
        if isinstance(atom, Variable | Quotient):
            return self.spread(atom, axes)
        scalar = self.spread(cast(Any, atom).scalar, axes)
        return np.where(np.isfinite(scalar), scalar, -(1 << 31)).astype(np.int64)

    def _apply(self, term: Apply, operands: list[Array]) -> Array:
        name = term.function
        if name in _UNARY:
            return _UNARY[name](*operands)
        if name in _BINARY:
            total = operands[0]
            for operand in operands[1:]:
                total = _BINARY[name](total, operand)
            return total
        return self.evaluator.functions[name](*operands)

    def _reduce(self, term: Reduce, axes: tuple[Variable, ...]) -> Array:
        combine = _REDUCTIONS[term.kind]
        inner = self.evaluator.axes(term.body)
        over = tuple(v for v in term.variables if v in inner)
        last = (*axes, *over)
        repeats = math.prod(v.extent for v in term.variables if v not in inner)
        repeats = repeats if term.kind in ("sum", "product") else 1
        full = {v: np.arange(v.extent) for v in term.variables}
        size = math.prod(len(self.values[v]) for v in axes) * math.prod(v.extent for v in over)
        split = max(over or term.variables, key=lambda v: v.extent)
        pieces = min(split.extent, -(-size // CHUNK)) if over else 1
        total: Array | None = None
        for numbers in np.array_split(full[split], pieces):
            scope = _Scope(self.evaluator, {**full, split: numbers}, self)
            piece = combine(scope.spread(term.body, last), axis=tuple(range(len(axes), len(last))))
            total = piece if total is None else combine(np.stack(np.broadcast_arrays(total, piece)), axis=0)
        assert total is not None
        if repeats == 1:
            return total
        return total * repeats if term.kind == "sum" else total**repeats
