"""Ops of PyTorch that are gradients of others, and losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hecv.tensors.comprehension import (
    Comprehension,
    Scalar,
    apply,
    compare,
    holds,
    position,
    real,
    reduce_over,
    scalar,
    select,
    sum_of,
    truth,
)
from hecv.tensors.definitions.aten_pointwise import sigmoid
from hecv.tensors.definitions.op_definition import Call, Undefined, chosen, defines, index_of, share, spread
from hecv.tensors.index_terms import Condition, Index, both, either, fresh, index, negate


def _each(op: str, gradient: Callable[[Scalar, Scalar], Scalar]) -> None:
    """Defines the gradient of an op on each element alone, of the gradient behind it and the input or result."""

    def definition(call: Call) -> tuple[Comprehension, ...]:
        g, x = call.tensor(0), call.tensor(1)
        return call.gives(lambda *i: g[i] * gradient(x[i], scalar(0)))

    defines(f"aten.{op}")(definition)


_each("silu_backward", lambda x, _: sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)))
_each("sigmoid_backward", lambda y, _: y * (1 - y))
_each("tanh_backward", lambda y, _: 1 - y * y)


@defines("aten.gelu_backward")
def gelu_backward(call: Call) -> tuple[Comprehension, ...]:
    """The derivative of `x * Phi(x)`, or of its approximation by tanh."""
    g, x, approximate = call.tensor(0), call.tensor(1), call.at(2, "approximate", "none")

    def derivative(v: Scalar) -> Scalar:
        if approximate != "tanh":
            normal = apply("exp", v * v * Fraction(-1, 2)) * (1 / math.sqrt(2 * math.pi))
            return 0.5 * (1 + apply("erf", v * math.sqrt(0.5))) + v * normal
        scale = math.sqrt(2 / math.pi)
        bent = apply("tanh", scale * (v + 0.044715 * v * v * v))
        return 0.5 * (1 + bent) + 0.5 * v * (1 - bent * bent) * scale * (1 + 3 * 0.044715 * v * v)

    return call.gives(lambda *i: g[i] * derivative(x[i]))


@defines("aten.threshold_backward")
def threshold_backward(call: Call) -> tuple[Comprehension, ...]:
    """The gradient where the input is above a threshold, else 0."""
    g, x, threshold = call.tensor(0), call.tensor(1), call.at(2, "threshold", 0)
    return call.gives(lambda *i: select(compare("le", x[i], threshold), 0, g[i]))


@defines("aten._softmax_backward_data", "aten._log_softmax_backward_data")
def softmax_backward(call: Call) -> tuple[Comprehension, ...]:
    """`y * (g - sum(g * y))`, or `g - exp(y) * sum(g)` of the logarithm."""
    g, y, axis = call.tensor(0), call.tensor(1), call.axis(2, "dim")
    logarithm = "log" in call.op

    def at(*i: Index) -> Scalar:
        def term(k: Index) -> Scalar:
            place = (*i[:axis], k, *i[axis + 1 :])
            return g[place] if logarithm else g[place] * y[place]

        total = sum_of(g.shape[axis], term)
        return g[i] - apply("exp", y[i]) * total if logarithm else y[i] * (g[i] - total)

    return call.gives(at)


@defines("aten.native_layer_norm_backward")
def layer_norm_backward(call: Call) -> tuple[Comprehension, ...]:
    """The gradients of input, weight and bias, as far as they are asked for."""
    g, x, mean, rstd = call.tensor(0), call.tensor(1), call.tensor(3), call.tensor(4)
    w, asked = call.at(5, "weight"), call.at(7, "output_mask")
    first = x.rank - len(call.at(2, "normalized_shape"))
    count = math.prod(x.shape[first:])

    def normed(i: Sequence[Index]) -> Scalar:
        return (x[tuple(i)] - spread(mean, i)) * spread(rstd, i)

    def scaled(i: Sequence[Index]) -> Scalar:
        return g[tuple(i)] if w is None else g[tuple(i)] * w[tuple(i[first:])]

    def of_input(*i: Index) -> Scalar:
        outer = i[:first]
        total = sum_of(x.shape[first:], lambda *k: scaled((*outer, *k)))
        along = sum_of(x.shape[first:], lambda *k: scaled((*outer, *k)) * normed((*outer, *k)))
        return spread(rstd, i) * (scaled(i) - (total + normed(i) * along) * share(count))

    def of_weight(*i: Index) -> Scalar:
        return sum_of(x.shape[:first], lambda *k: g[(*k, *i)] * normed((*k, *i)))

    def of_bias(*i: Index) -> Scalar:
        return sum_of(x.shape[:first], lambda *k: g[(*k, *i)])

    made = [at for at, wanted in zip((of_input, of_weight, of_bias), asked, strict=True) if wanted]
    return tuple(Comprehension(t.shape, at, t.element) for t, at in zip(call.types, made, strict=True))


@defines("aten.embedding_dense_backward")
def embedding_backward(call: Call) -> tuple[Comprehension, ...]:
    """For each row of the table the sum of the gradients of its look-ups; none of the padding row."""
    g, rows, padding = call.tensor(0), call.tensor(1), call.at(3, "padding_idx", -1)
    if call.at(4, "scale_grad_by_freq", False):
        raise Undefined(f"{call.op} by frequency")

    def at(row: Index, column: Index) -> Scalar:
        total = reduce_over("sum", rows.shape, lambda *k: select(position(rows[k]).equals(row), g[(*k, column)], 0))
        return total if padding < 0 else select(row.equals(padding), 0, total)

    return call.gives(at)


@defines("aten.slice_backward")
def slice_backward(call: Call) -> tuple[Comprehension, ...]:
    """The gradient in the place of the slice, 0 elsewhere."""
    g, axis, step = call.tensor(0), call.at(2, "dim"), call.at(5, "step", 1)
    axis %= len(call.shape)
    start = call.at(3, "start", 0)
    start = min(max(start + call.shape[axis] if start < 0 else start, 0), call.shape[axis])

    def at(*i: Index) -> Scalar:
        k = i[axis] - start
        inside = both(k >= 0, k < g.shape[axis] * step, (k % step).equals(0))
        return select(inside, g[(*i[:axis], k // step, *i[axis + 1 :])], 0)

    return call.gives(at)


@defines("aten.select_backward")
def select_backward(call: Call) -> tuple[Comprehension, ...]:
    """The gradient in the place of the slice, 0 elsewhere."""
    g, axis = call.tensor(0), call.at(2, "dim") % len(call.shape)
    place = call.at(3, "index") % call.shape[axis]
    return call.gives(lambda *i: select(i[axis].equals(place), g[(*i[:axis], *i[axis + 1 :])], 0))


@defines("aten.zero")
def zero(call: Call) -> tuple[Comprehension, ...]:
    """0 everywhere."""
    return call.gives(lambda *_: scalar(0))


@defines("aten.index_put")
def index_put(call: Call) -> tuple[Comprehension, ...]:
    """One number where a mask of the first dimensions holds; or values at the places that index tensors name, instead
    of what is there, or added to it.

    Raises: Undefined for values that stand in place of others where two of them may have one place.
    """
    x, given, value = call.tensor(0), list(call.operands[1]), call.tensor(2)
    added = bool(call.at(3, "accumulate", False))
    if any(isinstance(g, Comprehension) and g.element == "i1" for g in given):
        if len(given) > 1 or value.rank or added:
            raise Undefined(f"{call.op} by a mask, of several numbers")
        mask = given[0]
        return call.gives(lambda *i: select(holds(mask[i[: mask.rank]]), value[()], x[i]))
    places = [d for d, g in enumerate(given) if g is not None]
    rank = max(given[d].rank for d in places)
    sizes = [
        max((given[d].shape[k - rank] for d in places if given[d].rank >= rank - k), default=1) for k in range(rank)
    ]
    first = places[0] if places == list(range(places[0], places[0] + len(places))) else 0

    def put(i: tuple[Index, ...], at: tuple[Index, ...], otherwise: Scalar) -> Scalar:
        """The value with these places among the index tensors, if its place is `i`."""
        slices = [i[d] for d in range(x.rank) if d not in places]
        here = both(*(_is_place(spread(given[d], at), i[d], x.shape[d]) for d in places))
        return select(here, spread(value, (*slices[:first], *at, *slices[first:])), otherwise)

    if added:
        return call.gives(lambda *i: x[i] + sum_of(sizes, lambda *at: put(i, at, scalar(0))))
    found = [_own_place(given, places, k, sizes) for k in range(rank)]
    if None in found:
        raise Undefined(f"{call.op}: two values may have one place")

    def alone(*i: Index) -> Scalar:
        at = tuple(i[f[0]] - f[1] if f[0] >= 0 else index(0) for f in found if f is not None)
        inside = both(*(c for k, n in zip(at, sizes, strict=True) for c in (k >= 0, k < n)))
        return select(inside, put(i, at, x[i]), x[i])

    return call.gives(alone)


def _is_place(value: Scalar, place: Index, size: int) -> Condition:
    """Whether an index that is data, counted from the end where it is negative, is this place."""
    return holds(chosen(value, lambda k: truth(either(k.equals(place), (k + size).equals(place)))))


def _own_place(given: Sequence[Any], places: Sequence[int], k: int, sizes: Sequence[int]) -> tuple[int, int] | None:
    """A dimension in which values with other indices of dimension `k` of the index tensors have other places: it is
    that index and a constant. -1 for a dimension of size 1."""
    if sizes[k] == 1:
        return -1, 0
    at = tuple(fresh(n) for n in sizes)
    for d in places:
        found = index_of(spread(given[d], at))
        if found is not None and found.terms == at[k].terms and found.constant >= 0:
            return d, found.constant
    return None


# The negative log-likelihood


@defines("aten.nll_loss_forward")
def nll_loss(call: Call) -> tuple[Comprehension, ...]:
    """Minus the log-probability of each target, alone, averaged or summed, and the number of targets that count."""
    x, target, reduction, ignored = _loss(call, 0)
    rows = target.shape

    def counted(n: tuple[Index, ...]) -> Scalar:
        return select(_counts(target[n], ignored), 1, 0)

    def alone(*n: Index) -> Scalar:
        return select(_counts(target[n], ignored), chosen(target[n], lambda word: -x[(*n, word)]), 0)

    count = reduce_over("sum", rows, lambda *n: counted(n))
    total = reduce_over("sum", rows, alone)
    at = alone if reduction == 0 else lambda: total / count if reduction == 1 else total
    weight = scalar(0) if reduction == 0 else count
    return *call.gives(at), Comprehension((), lambda: weight, x.element)


@defines("aten.nll_loss_backward")
def nll_loss_backward(call: Call) -> tuple[Comprehension, ...]:
    """Minus the gradient at each target, divided by their number where the loss is a mean."""
    g, total = call.tensor(0), call.tensor(6)
    _, target, reduction, ignored = _loss(call, 1)

    def at(*i: Index) -> Scalar:
        *n, word = i
        here = tuple(n)
        mine = g[here] if reduction == 0 else g[()] / total[()] if reduction == 1 else g[()]
        chosen = both(_counts(target[here], ignored), position(target[here]).equals(word))
        return select(chosen, -mine, 0)

    return call.gives(at)


def _loss(call: Call, first: int) -> tuple[Comprehension, Comprehension, int, int]:
    if call.at(first + 2, "weight") is not None:
        raise Undefined(f"{call.op} with weights")
    return call.tensor(first), call.tensor(first + 1), call.at(first + 3, ""), call.at(first + 4, "")


def _counts(target: Scalar, ignored: int) -> Condition:
    return negate(compare("eq", target, real(index(ignored))))
