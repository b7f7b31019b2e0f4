"""Ops of PyTorch that reduce dimensions, and the norms and softmaxes made of such reductions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hecv.tensors.comprehension import Comprehension, Number, Scalar, apply, holds, reduce_over, select, sum_of, truth
from hecv.tensors.definitions.op_definition import Call, Undefined, cast_to, defines, share, spread
from hecv.tensors.index_terms import Index

Comprehensions = tuple[Comprehension, ...]


def over(
    x: Comprehension, axes: Sequence[int], kind: str, each: Callable[[Scalar], Scalar] = lambda v: v
) -> Callable[[Sequence[Index]], Scalar]:
    """The reduction of `each` element over `axes`, as a function of indices into `x` (those of `axes` do not count)."""

    def at(i: Sequence[Index]) -> Scalar:
        def body(*inner: Index) -> Scalar:
            places = list(i)
            for axis, k in zip(axes, inner, strict=True):
                places[axis] = k
            return each(x[tuple(places)])

        return reduce_over(kind, [x.shape[a] for a in axes], body)

    return at


def _kept(
    call: Call, axes: Sequence[int], keep: bool, at: Callable[[Sequence[Index]], Scalar]
) -> Callable[..., Scalar]:
    """`at` as a function of the indices of the result, which has lost `axes` unless it keeps them as size 1."""
    rank = call.tensor(0).rank

    def of_result(*i: Index) -> Scalar:
        rest = iter(i)
        return at([Index(0, ()) if d in axes and not keep else next(rest) for d in range(rank)])

    return of_result


def _reduced(call: Call, kind: str, each: Callable[[Scalar], Scalar] = lambda v: v) -> tuple[Comprehension, ...]:
    x, axes = call.tensor(0), call.axes(1, "dim")
    return call.gives(_kept(call, axes, bool(call.at(2, "keepdim", False)), over(x, axes, kind, each)))


@defines("aten.sum")
def sum_(call: Call) -> tuple[Comprehension, ...]:
    """The sum."""
    x = call.tensor(0)
    return _reduced(call, "sum", lambda v: cast_to(v, x.element, call.element))


@defines("aten.mean")
def mean(call: Call) -> tuple[Comprehension, ...]:
    """The sum, divided by the number of elements."""
    x, axes = call.tensor(0), call.axes(1, "dim")
    count = math.prod(x.shape[a] for a in axes)
    total = over(x, axes, "sum")
    keep = bool(call.at(2, "keepdim", False))
    return call.gives(_kept(call, axes, keep, lambda i: total(i) * share(count) if count else total(i) / 0))


@defines("aten.amax", "aten.amin")
def extremum(call: Call) -> tuple[Comprehension, ...]:
    """The maximum or minimum."""
    return _reduced(call, call.op.split(".")[1][1:])


@defines("aten.max.default", "aten.min.default", "aten.prod.default")
def whole(call: Call) -> tuple[Comprehension, ...]:
    """The maximum, minimum or product of all elements."""
    x, kind = call.tensor(0), call.op.split(".")[1]
    found = over(x, range(x.rank), "product" if kind == "prod" else kind)
    return call.gives(lambda: found([Index(0, ())] * x.rank))


@defines("aten.max.other", "aten.min.other")
def of_two(call: Call) -> tuple[Comprehension, ...]:
    """The larger or smaller of two tensors."""
    x, y, kind = call.tensor(0), call.tensor(1), call.op.split(".")[1]
    return call.gives(lambda *i: apply(kind, spread(x, i), spread(y, i)))


@defines("aten.max.dim", "aten.min.dim")
def along(call: Call) -> tuple[Comprehension, ...]:
    """The maximum or minimum along a dimension. Where it stands is not defined: equal elements leave it open."""
    x, axis, kind = call.tensor(0), call.axis(1, "dim"), call.op.split(".")[1]
    found = _kept(call, (axis,), bool(call.at(2, "keepdim", False)), over(x, (axis,), kind))
    return *call.gives(found), _places(call)


def _places(call: Call) -> Comprehension:
    def place(*_: Index) -> Scalar:
        raise Undefined(f"{call.op}: the place of the extremum")

    return Comprehension(call.shape, place, "i64")


@defines("aten.any", "aten.all")
def quantified(call: Call) -> tuple[Comprehension, ...]:
    """Some element, or each, is not 0."""
    kind = "max" if call.op.startswith("aten.any") else "min"
    return _reduced(call, kind, lambda v: truth(holds(v)))


@defines("aten.prod.dim_int")
def product(call: Call) -> tuple[Comprehension, ...]:
    """The product."""
    return _reduced(call, "product")


def _running(call: Call, join: Callable[[int, Callable[[Index], Scalar]], Scalar], nothing: Number) -> Comprehensions:
    """What `join` makes of the elements up to each, with `nothing` in place of those after it."""
    x, axis = call.tensor(0), call.axis(1, "dim")

    def at(*i: Index) -> Scalar:
        def element(k: Index) -> Scalar:
            return cast_to(x[(*i[:axis], k, *i[axis + 1 :])], x.element, call.element)

        return join(x.shape[axis], lambda k: select(k <= i[axis], element(k), nothing))

    return call.gives(at)


@defines("aten.cumsum")
def cumsum(call: Call) -> Comprehensions:
    """Sums of the elements up to each."""
    return _running(call, sum_of, 0)


@defines("aten.cumprod")
def cumprod(call: Call) -> Comprehensions:
    """Products of the elements up to each."""
    return _running(call, lambda n, body: reduce_over("product", (n,), body), 1)


@defines("aten.logcumsumexp")
def logcumsumexp(call: Call) -> Comprehensions:
    """Logarithms of the sums of the exponentials of the elements up to each."""
    return _running(call, lambda n, body: apply("log", sum_of(n, lambda k: apply("exp", body(k)))), -math.inf)


@defines("aten.cummax", "aten.cummin")
def extremum_so_far(call: Call) -> Comprehensions:
    """The largest or smallest of the elements up to each. Where it stands is not defined: equal elements leave it
    open."""
    kind, nothing = ("max", -math.inf) if call.op.startswith("aten.cummax") else ("min", math.inf)
    found = _running(call, lambda n, body: reduce_over(kind, (n,), body), nothing)
    return *found, _places(call)


def _variance(
    x: Comprehension, axes: Sequence[int], correction: Any
) -> tuple[Callable[..., Scalar], Callable[..., Scalar]]:
    """Variance and mean over `axes`."""
    count = math.prod(x.shape[a] for a in axes)
    if not count:
        raise Undefined("the mean of no elements")
    total = over(x, axes, "sum")

    def middle(i: Sequence[Index]) -> Scalar:
        return total(i) * share(count)

    def spread_of(i: Sequence[Index]) -> Scalar:
        center = middle(i)
        return over(x, axes, "sum", lambda v: (v - center) * (v - center))(i) * share(count - Fraction(correction))

    return spread_of, middle


def _correction(call: Call) -> Any:
    if call.op.endswith(".correction"):
        return call.at(2, "correction", 1)
    biased = call.at(2, "unbiased", True) if call.op.endswith(".dim") else call.at(1, "unbiased", True)
    return 1 if biased else 0


@defines("aten.var", "aten.std", "aten.var_mean")
def variance(call: Call) -> tuple[Comprehension, ...]:
    """The variance, its root, or variance and mean."""
    x = call.tensor(0)
    whole_tensor = not call.op.endswith((".dim", ".correction"))
    axes = tuple(range(x.rank)) if whole_tensor else call.axes(1, "dim")
    if math.prod(x.shape[a] for a in axes) == Fraction(_correction(call)):
        raise Undefined(f"{call.op} of as many elements as its correction")
    of, middle = _variance(x, axes, _correction(call))
    keep = bool(call.at(3, "keepdim", False))
    if call.op.startswith("aten.std"):
        return call.gives(_kept(call, axes, keep, lambda i: apply("sqrt", of(i))))
    found = call.gives(_kept(call, axes, keep, of))
    return found if len(call.types) == 1 else (*found, *call.gives(_kept(call, axes, keep, middle)))


@defines("aten.softmax", "aten._softmax", "aten._safe_softmax", "aten.log_softmax", "aten._log_softmax")
def softmax(call: Call) -> tuple[Comprehension, ...]:
    """`exp(x) / sum exp(x)` along a dimension, or its logarithm; over the reals no maximum is subtracted."""
    x, axis = call.tensor(0), call.axis(1, "dim")
    total = over(x, (axis,), "sum", lambda v: apply("exp", v))
    if "log" in call.op:
        return call.gives(lambda *i: x[i] - apply("log", total(i)))
    return call.gives(lambda *i: apply("exp", x[i]) / total(i))


@defines("aten.logsumexp")
def logsumexp(call: Call) -> tuple[Comprehension, ...]:
    """`log(sum exp(x))`."""
    x, axes = call.tensor(0), call.axes(1, "dim")
    total = over(x, axes, "sum", lambda v: apply("exp", v))
    return call.gives(_kept(call, axes, bool(call.at(2, "keepdim", False)), lambda i: apply("log", total(i))))


# Norms


def _normed(x: Comprehension, axes: Sequence[int], eps: Any, i: Sequence[Index]) -> Scalar:
    of, middle = _variance(x, axes, 0)
    return (x[tuple(i)] - middle(i)) / apply("sqrt", of(i) + eps)


@defines("aten.layer_norm", "aten.native_layer_norm")
def layer_norm(call: Call) -> tuple[Comprehension, ...]:
    """`(x - mean) / sqrt(var + eps) * w + b` over the last dimensions (Ba et al., 2016)."""
    x, w, b = call.tensor(0), call.at(2, "weight"), call.at(3, "bias")
    axes = range(x.rank - len(call.at(1, "normalized_shape")), x.rank)
    eps = call.at(4, "eps", 1e-5)

    def at(*i: Index) -> Scalar:
        return _affine(_normed(x, axes, eps, i), w, b, i[axes.start :])

    if len(call.types) == 1:
        return call.gives(at)
    of, middle = _variance(x, axes, 0)
    pair = (middle, lambda i: 1 / apply("sqrt", of(i) + eps))
    return *call.gives(at), *(
        Comprehension(t.shape, lambda *i, f=f: f(i), t.element) for t, f in zip(call.types[1:], pair, strict=True)
    )


def _affine(value: Scalar, w: Any, b: Any, i: Sequence[Index]) -> Scalar:
    scaled = value if w is None else value * w[tuple(i)]
    return scaled if b is None else scaled + b[tuple(i)]


@defines("aten.rms_norm", "aten._fused_rms_norm")
def rms_norm(call: Call) -> tuple[Comprehension, ...]:
    """`x / sqrt(mean(x^2) + eps) * w` over the last dimensions (Zhang and Sennrich, 2019)."""
    x, w = call.tensor(0), call.at(2, "weight")
    axes = range(x.rank - len(call.at(1, "normalized_shape")), x.rank)
    count = math.prod(x.shape[a] for a in axes)
    eps = call.at(3, "eps", _EPSILON.get(x.element, _EPSILON["f64"]))
    squares = over(x, axes, "sum", lambda v: v * v)

    def root(i: Sequence[Index]) -> Scalar:
        return 1 / apply("sqrt", squares(i) * share(count) + eps)

    found = call.gives(lambda *i: _affine(x[i] * root(i), w, None, i[axes.start :]))
    return (*found, *(Comprehension(t.shape, lambda *i: root(i), t.element) for t in call.types[1:]))


_EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


@defines("aten.group_norm")
def group_norm(call: Call) -> tuple[Comprehension, ...]:
    """The norm over groups of channels and all places (Wu and He, 2018)."""
    x, groups, w, b = call.tensor(0), call.at(1, "num_groups"), call.at(2, "weight"), call.at(3, "bias")
    channels, eps = x.shape[1] // groups, call.at(4, "eps", 1e-5)
    apart = Comprehension(
        (x.shape[0], groups, channels, *x.shape[2:]), lambda n, g, c, *p: x[(n, g * channels + c, *p)], x.element
    )
    axes = range(2, apart.rank)

    def at(*i: Index) -> Scalar:
        n, c, *places = i
        found = _normed(apart, axes, eps, (n, c // channels, c % channels, *places))
        return _affine(found, w, b, (c,))

    return call.gives(at)


@defines("aten.batch_norm")
def batch_norm(call: Call) -> tuple[Comprehension, ...]:
    """`(x - mean) / sqrt(var + eps) * w + b` by channel, with kept statistics (Ioffe and Szegedy, 2015)."""
    x, w, b, center, var = call.tensor(0), call.at(1, "weight"), call.at(2, "bias"), call.at(3, ""), call.at(4, "")
    plain = call.op.startswith("aten.batch_norm")
    if (plain and call.at(5, "training", False)) or center is None or var is None:
        raise Undefined("batch norm by statistics of the batch")
    eps = call.at(7 if plain else 6, "eps", 1e-5)

    def at(*i: Index) -> Scalar:
        return _affine((x[i] - center[i[1]]) / apply("sqrt", var[i[1]] + eps), w, b, (i[1],))

    return call.gives(at)


@defines("aten.avg_pool2d", "aten.max_pool2d")
def pool(call: Call) -> tuple[Comprehension, ...]:
    """The mean or maximum of each window, without padding."""
    x, window = call.tensor(0), call.at(1, "kernel_size")
    spatial = 2
    sizes = [window] * spatial if isinstance(window, int) else list(window) * (spatial if len(window) == 1 else 1)
    given = call.at(2, "stride", ())
    steps = [given] * spatial if isinstance(given, int) else list(given) or sizes
    if any(_flat(call.at(k, "", 0)) for k in (3,)) or any(
        d != 1 for d in _flat(call.at(4, "", 1) if "max" in call.op else 1)
    ):
        raise Undefined(f"{call.op} with padding or dilation")
    if call.at(5 if "max" in call.op else 4, "ceil_mode", False):
        raise Undefined(f"{call.op} with windows that reach beyond the input")
    if "avg" in call.op and call.at(6, "divisor_override") is not None:
        raise Undefined(f"{call.op} with another divisor")
    kind = "max" if "max" in call.op else "sum"

    def at(*i: Index) -> Scalar:
        outer, places = i[: len(i) - spatial], i[len(i) - spatial :]
        found = reduce_over(
            kind,
            sizes,
            lambda *k: x[(*outer, *(p * s + o for p, s, o in zip(places, steps * spatial, k, strict=False)))],
        )
        return found if kind == "max" else found * Fraction(1, math.prod(sizes))

    return call.gives(at)


def _flat(value: Any) -> list[int]:
    given = [value] if isinstance(value, int) else list(value)
    return [n for n in given if n]
