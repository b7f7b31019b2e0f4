"""Ops of PyTorch that are sums of products: linear layers, products of matrices, convolutions, attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hecv.tensors.comprehension import Comprehension, Scalar, apply, holds, product_of, scalar, select, sum_of
from hecv.tensors.definitions.op_definition import Call, Undefined, defines, spread
from hecv.tensors.index_terms import Index, both


@defines("aten.linear")
def linear(call: Call) -> tuple[Comprehension, ...]:
    """`x W^T + b`."""
    x, w, b = call.tensor(0), call.tensor(1), call.at(2, "bias")

    def at(*i: Index) -> Scalar:
        *rows, j = i if w.rank == 2 else (*i, Index(0, ()))
        found = sum_of(x.shape[-1], lambda k: x[(*rows, k)] * (w[j, k] if w.rank == 2 else w[k]))
        return found if b is None else found + spread(b, i)

    return call.gives(at)


def _product(x: Comprehension, y: Comprehension, i: Sequence[Index]) -> Scalar:
    """The element of a product of matrices, or of vectors, with the dimensions before broadcast (torch.matmul)."""
    rows = () if x.rank == 1 else (i[-1 if y.rank == 1 else -2],)
    columns = () if y.rank == 1 else (i[-1],)
    batch = i[: len(i) - len(rows) - len(columns)]

    def element(t: Comprehension, inner: tuple[Index, ...]) -> Scalar:
        outer = t.rank - len(inner)
        return t[(*batch[len(batch) - outer :], *inner)]

    return sum_of(x.shape[-1], lambda k: element(x, (*rows, k)) * element(y, (k, *columns)))


@defines("aten.matmul", "aten.mm", "aten.bmm", "aten.mv", "aten.dot")
def matmul(call: Call) -> tuple[Comprehension, ...]:
    """A product of matrices or vectors."""
    x, y = call.tensor(0), call.tensor(1)
    return call.gives(lambda *i: _product(x, y, i))


@defines("aten.addmm", "aten.baddbmm")
def addmm(call: Call) -> tuple[Comprehension, ...]:
    """`beta * z + alpha * x y`."""
    z, x, y = (call.tensor(k) for k in range(3))
    beta, alpha = scalar(call.at(3, "beta", 1)), scalar(call.at(4, "alpha", 1))
    if beta is scalar(0):
        return call.gives(lambda *i: alpha * _product(x, y, i))
    return call.gives(lambda *i: beta * spread(z, i) + alpha * _product(x, y, i))


@defines("aten.outer")
def outer(call: Call) -> tuple[Comprehension, ...]:
    """All products of elements of two vectors."""
    x, y = call.tensor(0), call.tensor(1)
    return call.gives(lambda i, j: x[i] * y[j])


@defines("aten.einsum")
def einsum(call: Call) -> tuple[Comprehension, ...]:
    """A sum of products, written with a letter for each index."""
    text, operands = str(call.operands[0]).replace(" ", ""), list(call.operands[1])
    if "." in text:
        raise Undefined("einsum with an ellipsis")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    letters = sorted(set(left) - {","})
    result = right if arrow else "".join(c for c in letters if left.count(c) == 1)
    sizes = {
        c: n for word, t in zip(inputs, operands, strict=True) for c, n in zip(word, t.shape, strict=True) if n != 1
    }
    bound = [c for c in letters if c not in result]

    def at(*i: Index) -> Scalar:
        def body(*inner: Index) -> Scalar:
            places = dict(zip((*result, *bound), (*i, *inner), strict=True))
            return product_of([t[tuple(places[c] for c in word)] for word, t in zip(inputs, operands, strict=True)])

        return sum_of([sizes.get(c, 1) for c in bound], body)

    return call.gives(at)


def convolution_at(
    x: Comprehension, w: Comprehension, i: Sequence[Index], steps: Sequence[Sequence[int]], groups: int
) -> Scalar:
    """The element of a convolution: `steps` are strides, paddings and dilations, one number for each dimension."""
    strides, paddings, dilations = steps
    n, channel, *places = i
    inputs, outputs = w.shape[1], w.shape[0] // groups

    def body(c: Index, *window: Index) -> Scalar:
        at = [p * s - b + k * d for p, s, b, k, d in zip(places, strides, paddings, window, dilations, strict=True)]
        padded = [(a, size) for a, size, b in zip(at, x.shape[2:], paddings, strict=True) if b]
        inside = both(*(c for a, size in padded for c in (a >= 0, a < size)))
        first = channel // outputs * inputs if groups > 1 else 0
        return select(inside, x[(n, c + first, *at)], 0) * w[(channel, c, *window)]

    return sum_of(w.shape[1:], body)


def _each(value: Any, count: int) -> list[int]:
    given = [value] if isinstance(value, int) else list(value)
    return given * count if len(given) == 1 else given


@defines("aten.conv1d", "aten.conv2d", "aten.convolution")
def convolution(call: Call) -> tuple[Comprehension, ...]:
    """A sum over a window of the input and its channels, with zeros around the input."""
    x, w, b = call.tensor(0), call.tensor(1), call.at(2, "bias")
    spatial = w.rank - 2
    general = call.op.startswith("aten.convolution")
    if x.rank != w.rank or call.op.endswith(".padding") or (general and call.at(6, "transposed", False)):
        raise Undefined(f"{call.op} in this form")
    steps = [_each(call.at(k, "", d), spatial) for k, d in ((3, 1), (4, 0), (5, 1))]
    groups = call.at(8 if general else 6, "groups", 1)

    def at(*i: Index) -> Scalar:
        found = convolution_at(x, w, i, steps, groups)
        return found if b is None else found + b[i[1]]

    return call.gives(at)


@defines("aten.scaled_dot_product_attention")
def attention(call: Call) -> tuple[Comprehension, ...]:
    """`softmax(q k^T * scale + mask) v` (Vaswani et al., 2017); a causal mask admits keys up to the query's position.
    Groups of queries share a head of keys where `enable_gqa` says so."""
    q, k, v = (call.tensor(n) for n in range(3))
    mask, dropout, causal = call.at(3, "attn_mask"), call.at(4, "dropout_p", 0.0), call.at(5, "is_causal", False)
    if dropout:
        raise Undefined("attention with dropout draws random numbers")
    scale = call.at(6, "scale")
    factor = inverse_root(q.shape[-1]) if scale is None else scalar(scale)
    group = q.shape[-3] // k.shape[-3] if call.at(7, "enable_gqa", False) and q.rank > 2 else 1

    def head(t: Comprehension, batch: Sequence[Index], *inner: Index) -> Scalar:
        outer = [*batch[:-1], batch[-1] // group] if group > 1 else list(batch)
        return t[(*outer[len(outer) - t.rank + 2 :], *inner)]

    def at(*i: Index) -> Scalar:
        *batch, row, column = i

        def weight(j: Index) -> Scalar:
            score = factor * sum_of(q.shape[-1], lambda d: head_of_query(batch, row, d) * head(k, batch, j, d))
            if causal:
                score = select(j <= row, score, -math.inf)
            if mask is None:
                return apply("exp", score)
            entry = spread(mask, (*batch, row, j))
            return apply("exp", select(holds(entry), score, -math.inf) if mask.element == "i1" else score + entry)

        def head_of_query(batch: Sequence[Index], row: Index, d: Index) -> Scalar:
            return q[(*batch[len(batch) - q.rank + 2 :], row, d)]

        keys = k.shape[-2]
        return sum_of(keys, lambda j: weight(j) * head(v, batch, j, column)) / sum_of(keys, weight)

    return call.gives(at)


def inverse_root(size: int) -> Scalar:
    """`1 / sqrt(size)`: exact where the root is an integer, else the nearest float."""
    root = math.isqrt(size)
    return scalar(Fraction(1, root) if root * root == size else 1 / math.sqrt(size))
