"""Pairs of comprehensions that are equal over the reals, and their wrong twins, which are not proved.

Each pair is written twice as models write it: `hf` and `vllm`, one op and its formula, one rank and many.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Final

import numpy as np
import pytest

from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFact, LeafFacts, defined_as, fact_of_array
from hecv.tensors.algebra.verdicts import Gap, Limits, Proof
from hecv.tensors.comprehension import (
    Comprehension,
    Scalar,
    apply,
    compare,
    holds,
    leaf,
    max_of,
    position,
    real,
    reduce_over,
    scalar,
    select,
    sum_of,
    truth,
)
from hecv.tensors.index_terms import Condition, Index, both, either, index

Tensor = Comprehension
INF: Final = float("inf")
Pair = tuple[Tensor, Tensor]
Case = tuple[str, Callable[[], Pair]]

T, D, H, W = 6, 8, 4, 8  # tokens, model width, heads, head width


def each(shape: tuple[int, ...], at: Callable[..., Scalar]) -> Tensor:
    return Comprehension(shape, at)


def linear(x: Tensor, w: Tensor) -> Tensor:
    """`x @ w.T`"""
    return each((*x.shape[:-1], w.shape[0]), lambda *i: sum_of(w.shape[1], lambda k: x[(*i[:-1], k)] * w[i[-1], k]))


def matmul(x: Tensor, w: Tensor) -> Tensor:
    return each((x.shape[0], w.shape[1]), lambda i, j: sum_of(w.shape[0], lambda k: x[i, k] * w[k, j]))


def cat(axis: int, *tensors: Tensor) -> Tensor:
    first, rest = tensors[0], tensors[1:]
    if not rest:
        return first
    other = cat(axis, *rest)
    n = first.shape[axis]
    shape = tuple(s + other.shape[a] if a == axis else s for a, s in enumerate(first.shape))

    def at(*i: Index) -> Scalar:
        moved = tuple(v - n if a == axis else v for a, v in enumerate(i))
        return select(i[axis] < n, first[i], other[moved])

    return each(shape, at)


def part(x: Tensor, axis: int, low: int, high: int) -> Tensor:
    shape = tuple(high - low if a == axis else s for a, s in enumerate(x.shape))
    return each(shape, lambda *i: x[tuple(v + low if a == axis else v for a, v in enumerate(i))])


def reshape(x: Tensor, *shape: int) -> Tensor:
    def at(*i: Index) -> Scalar:
        flat = index(0)
        for v, n in zip(i, shape, strict=True):
            flat = flat * n + v
        old: list[Index] = []
        for n in reversed(x.shape):
            old.append(flat % n)
            flat = flat // n
        return x[tuple(reversed(old))]

    return each(shape, at)


def pointwise(f: Callable[..., Scalar], *tensors: Tensor) -> Tensor:
    return each(tensors[0].shape, lambda *i: f(*(t[i] for t in tensors)))


def exp(x: Scalar) -> Scalar:
    return apply("exp", x)


def sigmoid(x: Scalar) -> Scalar:
    return 1 / (1 + exp(-x))


def silu(x: Scalar) -> Scalar:
    return x * sigmoid(x)


def rsqrt(x: Scalar) -> Scalar:
    return 1 / apply("sqrt", x)


def softmax(s: Tensor, with_max: bool = True) -> Tensor:
    n = s.shape[-1]

    def at(*i: Index) -> Scalar:
        top = max_of(n, lambda j: s[(*i[:-1], j)]) if with_max else scalar(0)
        return exp(s[i] - top) / sum_of(n, lambda j: exp(s[(*i[:-1], j)] - top))

    return each(s.shape, at)


def scores(q: Tensor, k: Tensor, scale: float | Fraction) -> Tensor:
    n = q.shape[-1]
    return each((q.shape[0], k.shape[0]), lambda i, j: sum_of(n, lambda d: q[i, d] * k[j, d]) * scalar(scale))


def masked(s: Tensor, low: float = -INF, keep: Callable[[Index, Index], object] | None = None) -> Tensor:
    return each(s.shape, lambda i, j: s[i, j] + select(keep(i, j) if keep else j <= i, 0, low))


def weighted(p: Tensor, v: Tensor) -> Tensor:
    return matmul(p, v)


Q, K, V = leaf("q", (T, W)), leaf("k", (T, W)), leaf("v", (T, W))
X, Y, Z = leaf("x", (T, D)), leaf("y", (T, D)), leaf("z", (T, D))
G = leaf("g", (D,))


def attention(scale: float | Fraction = Fraction(1, 4), low: float = -INF) -> Tensor:
    return weighted(softmax(masked(scores(Q, K, scale), low)), V)


def causal_sum(low: Callable[[Index], Index] | None = None, off: int = 0, scale: Fraction = Fraction(1, 4)) -> Tensor:
    """Attention over the keys that are kept, without a maximum."""
    s = scores(Q, K, scale)

    def at(i: Index, d: Index) -> Scalar:
        def kept(j: Index) -> object:
            return both(j <= i + off, j >= low(i)) if low else j <= i + off

        def term(j: Index, factor: Scalar) -> Scalar:
            return select(kept(j), exp(s[i, j]) * factor, 0)

        total = sum_of(T, lambda j: term(j, scalar(1)))
        return sum_of(T, lambda j: term(j, V[j, d])) / total

    return each((T, W), at)


def sdpa() -> Tensor:
    """The op: q and k scaled by the root of the scale, rows without keys are 0."""
    root = math.sqrt(1 / math.sqrt(W))
    q, k = pointwise(lambda x: x * root, Q), pointwise(lambda x: x * root, K)
    s = each((T, T), lambda i, j: select(j <= i, scores(q, k, 1)[i, j], -INF))
    p = softmax(s)

    def at(i: Index, j: Index) -> Scalar:
        dead = reduce_over("min", (T,), lambda k: truth(compare("eq", s[i, k], scalar(-INF))))
        return select(holds(dead), 0, p[i, j])

    return weighted(each((T, T), at), V)


def flash(parts: int = 2, lose: bool = False) -> Tensor:
    """Blocks of keys with the maximum, sum and output rescaled block by block."""
    s = scores(Q, K, Fraction(1, 4))
    n = T // parts

    def at(i: Index, d: Index) -> Scalar:
        top, total, out = None, scalar(0), scalar(0)
        for b in range(parts):
            here = max_of(n, lambda j, b=b: s[i, j + b * n])
            new = here if top is None else apply("max", top, here)
            old = exp(top - new) if top is not None else scalar(0)
            if lose:
                old = scalar(1)
            total = total * old + sum_of(n, lambda j, b=b, m=new: exp(s[i, j + b * n] - m))
            out = out * old + sum_of(n, lambda j, b=b, m=new: exp(s[i, j + b * n] - m) * V[j + b * n, d])
            top = new
        return out / total

    return each((T, W), at)


def flash_normalised() -> Tensor:
    """Two blocks, each normalised, joined by their sums."""
    s = scores(Q, K, Fraction(1, 4))
    n = T // 2

    def at(i: Index, d: Index) -> Scalar:
        tops = [max_of(n, lambda j, b=b: s[i, j + b * n]) for b in range(2)]
        sums = [sum_of(n, lambda j, b=b: exp(s[i, j + b * n] - tops[b])) for b in range(2)]
        outs = [sum_of(n, lambda j, b=b: exp(s[i, j + b * n] - tops[b]) * V[j + b * n, d]) / sums[b] for b in range(2)]
        top = apply("max", *tops)
        weights = [exp(tops[b] - top) * sums[b] for b in range(2)]
        return (outs[0] * weights[0] + outs[1] * weights[1]) / (weights[0] + weights[1])

    return each((T, W), at)


def rms(eps_inside: bool = True, spelling: str = "rsqrt", eps: float = 1e-6) -> Tensor:
    def at(i: Index, k: Index) -> Scalar:
        square = {"mul": lambda x: x * x, "pow": lambda x: apply("pow", x, 2)}
        f = square["pow" if spelling == "pow" else "mul"]
        total = sum_of(D, lambda j: f(X[i, j]))
        mean = total / D if spelling != "mean" else total * Fraction(1, D)
        if not eps_inside:
            return X[i, k] / (apply("sqrt", mean) + eps) * G[k]
        if spelling == "sqrt":
            return G[k] * (X[i, k] / apply("sqrt", mean + eps))
        return X[i, k] * rsqrt(mean + eps) * G[k]

    return each((T, D), at)


def layer_norm(moments: bool, wrong: bool = False) -> Tensor:
    def at(i: Index, k: Index) -> Scalar:
        mean = sum_of(D, lambda j: X[i, j]) / D
        if moments:
            variance = sum_of(D, lambda j: X[i, j] * X[i, j]) / D - (mean if wrong else mean * mean)
        else:
            variance = sum_of(D, lambda j: (X[i, j] - mean) * (X[i, j] - mean)) / D
        return (X[i, k] - mean) * rsqrt(variance + 1e-5) * G[k]

    return each((T, D), at)


C, S = leaf("cos", (T, W // 2)), leaf("sin", (T, W // 2))


def rope_half() -> Tensor:
    """Half width: `o1 = x1 c - x2 s, o2 = x2 c + x1 s`, then cat."""
    a, b = part(Q, 1, 0, W // 2), part(Q, 1, W // 2, W)
    one = pointwise(lambda x, y, c, s: x * c - y * s, a, b, C, S)
    other = pointwise(lambda x, y, c, s: y * c + x * s, a, b, C, S)
    return cat(1, one, other)


def rope_duplicated() -> Tensor:
    cos, sin = cat(1, C, C), cat(1, S, S)
    half = cat(1, pointwise(lambda x: -x, part(Q, 1, W // 2, W)), part(Q, 1, 0, W // 2))
    return pointwise(lambda x, y, c, s: x * c + y * s, Q, half, cos, sin)


def rope_pairs() -> Tensor:
    def at(i: Index, d: Index) -> Scalar:
        h, odd = d // 2, (d % 2) >= 1
        x, y = Q[i, h * 2], Q[i, h * 2 + 1]
        return select(odd, y * C[i, h] + x * S[i, h], x * C[i, h] - y * S[i, h])

    return each((T, W), at)


WQ, WK, WV = leaf("wq", (16, D)), leaf("wk", (8, D)), leaf("wv", (8, D))


def merged(low: int, high: int) -> Tensor:
    return part(linear(X, cat(0, WQ, WK, WV)), 1, low, high)


KH = leaf("kh", (2, T, W))
QH = leaf("qh", (H, T, W))


def repeated(interleaved: bool = False) -> Tensor:
    """repeat_kv, then one matmul a head."""
    k = each((H, T, W), lambda h, t, d: KH[h % 2 if interleaved else h // 2, t, d])
    return each((H, T, T), lambda h, i, j: sum_of(W, lambda d: QH[h, i, d] * k[h, j, d]))


def grouped() -> Tensor:
    q = reshape(QH, 2, 2, T, W)
    s = each((2, 2, T, T), lambda g, r, i, j: sum_of(W, lambda d: q[g, r, i, d] * KH[g, j, d]))
    return reshape(s, H, T, T)


GATE, UP, DOWN = leaf("gate", (16, D)), leaf("up", (16, D)), leaf("down", (D, 16))


def mlp(merge: bool, swap: bool = False) -> Tensor:
    if not merge:
        hidden = pointwise(lambda a, b: silu(a) * b, linear(X, GATE), linear(X, UP))
    else:
        both_ = linear(X, cat(0, UP, GATE) if swap else cat(0, GATE, UP))
        hidden = pointwise(lambda a, b: silu(a) * b, part(both_, 1, 0, 16), part(both_, 1, 16, 32))
    return linear(hidden, DOWN)


def tensor_parallel(ranks: int, n: int = 128, lose: bool = False) -> Pair:
    x, w = leaf("x", (T, n)), leaf("w", (12, n))
    size = n // ranks

    def at(i: Index, o: Index) -> Scalar:
        total = scalar(0)
        for r in range(ranks - lose):
            total = total + linear(part(x, 1, r * size, (r + 1) * size), part(w, 1, r * size, (r + 1) * size))[i, o]
        return total

    return linear(x, w), each((T, 12), at)


def column_row(ranks: int) -> Pair:
    size = 16 // ranks

    def at(i: Index, o: Index) -> Scalar:
        total = scalar(0)
        for r in range(ranks):
            low, high = r * size, (r + 1) * size
            hidden = pointwise(silu, linear(X, part(GATE, 0, low, high)))
            total = total + linear(hidden, part(DOWN, 1, low, high))[i, o]
        return total

    return linear(pointwise(silu, linear(X, GATE)), DOWN), each((T, D), at)


def heads_by_rank(ranks: int, wrong: bool = False) -> Pair:
    """Heads with a factor each, one head a rank."""
    factor = leaf("factor", (ranks,))
    values, out = leaf("values", (T, ranks * W)), leaf("out", (D, ranks * W))

    def at(i: Index, o: Index) -> Scalar:
        total = scalar(0)
        for r in range(ranks):
            low, high = r * W, (r + 1) * W
            mine = linear(part(values, 1, low, high), part(out, 1, low, high))[i, o]
            total = total + sigmoid(factor[min(r + 1, ranks - 1) if wrong else r]) * mine
        return total

    one = each((T, ranks * W), lambda i, c: sigmoid(factor[c // W]) * values[i, c])
    return linear(one, out), each((T, D), at)


def late_normalisation(wrong: bool = False) -> Pair:
    s = scores(Q, K, Fraction(1, 4))

    def at(i: Index, d: Index) -> Scalar:
        top = max_of(T, lambda j: s[i, j])
        out = sum_of(T, lambda j: exp(s[i, j] - top) * V[j, d])
        return out / sum_of(T - wrong, lambda j: exp(s[i, j] - top))

    return weighted(softmax(s), V), each((T, W), at)


def alibi(wrong: bool = False) -> Pair:
    slope = leaf("slope", ())
    s = scores(Q, K, Fraction(1, 4))
    relative = each((T, T), lambda i, j: s[i, j] + slope[()] * real(j - i))
    absolute = each((T, T), lambda i, j: s[i, j] + slope[()] * real(j + i * (2 if wrong else 1)) * (2 if wrong else 1))
    keep = masked(relative), masked(absolute)
    return softmax(keep[0]), softmax(keep[1])


def interleaved(wrong: bool = False) -> Pair:
    """InternLM2: rows of the weight are [q q k v] for each of 2 groups."""
    w = leaf("wqkv", (2 * 4 * W, D))
    y = reshape(linear(X, w), T, 2, 4, W)
    q = each((T, 4 * W), lambda t, c: y[t, c // (2 * W), (c // W) % 2, c % W])
    slices = [part(w, 0, g * 4 * W, g * 4 * W + 2 * W) for g in range(2)]
    if wrong:
        slices = [part(w, 0, 0, 2 * W), part(w, 0, 2 * W, 4 * W)]
    return q, linear(X, cat(0, *slices))


def convolution(wrong: bool = False) -> Pair:
    x, w = leaf("x", (D, T + 2)), leaf("w", (5, D, 3))
    one = each((5, T), lambda o, t: sum_of((D, 3), lambda c, k: x[c, t + k] * w[o, c, k]))

    def at(o: Index, t: Index) -> Scalar:
        total = scalar(0)
        for k in range(3):
            total = total + sum_of(D, lambda c, k=k: w[o, c, k] * x[c, t + (2 - k if wrong else k)])
        return total

    return one, each((5, T), at)


def lora(wrong: bool = False) -> Pair:
    a, b = leaf("a", (D, 3)), leaf("b", (3, D))
    right = matmul(X, matmul(a, b))
    return matmul(matmul(X, a), b), (matmul(X, matmul(each((D, 3), lambda i, j: a[i, 2 - j]), b)) if wrong else right)


def views(wrong: bool = False) -> Pair:
    x = leaf("x", (6, 16))
    back = reshape(reshape(x, 8, 12), 6, 16)
    return x, each((6, 16), lambda i, j: reshape(x, 8, 12)[(i * 16 + j) // 12, (j + i) % 12]) if wrong else back


def gelu(constant: float) -> Pair:
    def formula(x: Scalar, c: Scalar) -> Scalar:
        return x * (1 + apply("tanh", c * (x + apply("pow", x, 3) * scalar(0.044715)))) * Fraction(1, 2)

    one = pointwise(lambda x: formula(x, apply("sqrt", 2 / scalar(math.pi))), X)
    return one, pointwise(lambda x: formula(x, scalar(constant)), X)


def window(wrong: bool = False) -> Pair:
    s = scores(Q, K, Fraction(1, 4))
    one = masked(s, keep=lambda i, j: both(j <= i, j > i - 3))
    causal = masked(s)
    other = each((T, T), lambda i, j: causal[i, j] + select(i - j < (4 if wrong else 3), 0, -INF))
    return softmax(one), softmax(other)


def documents() -> Pair:
    """Two documents of 3 tokens: one mask by blocks, one by an equation of quotients; and `or` against `and`."""
    s = scores(Q, K, Fraction(1, 4))
    one = masked(s, keep=lambda i, j: (i // 3).equals(j // 3))
    other = masked(s, keep=lambda i, j: either(both(i < 3, j < 3), both(i >= 3, j >= 3)))
    return softmax(one), softmax(other)


IDS = leaf("ids", (T,), "i64")
TABLE = leaf("table", (128, D))


def one_hot(wrong: bool = False) -> Pair:
    gather = each((T, D), lambda t, d: TABLE[position(IDS[t]), d])

    def hot(t: Index, v: Index) -> Scalar:
        return truth(compare("eq", IDS[t], real(v + (1 if wrong else 0))))

    return gather, each((T, D), lambda t, d: sum_of(128, lambda v: hot(t, v) * TABLE[v, d]))


def vocabulary_parallel() -> Pair:
    """Each rank looks up its rows, and 0 for ids of other ranks; the sum is the look-up."""
    gather = each((T, D), lambda t, d: TABLE[position(IDS[t]), d])

    def at(t: Index, d: Index) -> Scalar:
        total = scalar(0)
        for r in range(2):
            here = both(compare("le", r * 64, IDS[t]), compare("lt", IDS[t], (r + 1) * 64))
            total = total + select(here, TABLE[position(IDS[t]), d], 0)
        return total

    return gather, each((T, D), at)


def vocabulary_clamped(wrong: bool = False) -> Pair:
    """As in Megatron: ids of other ranks are set to 0, and what is looked up there is masked."""
    gather = each((T, D), lambda t, d: TABLE[position(IDS[t]), d])

    def at(t: Index, d: Index) -> Scalar:
        total = scalar(0)
        for r in range(4):
            rows = part(TABLE, 0, r * 32, (r + 1) * 32)
            here = both(compare("le", r * 32, IDS[t]), compare("lt", IDS[t], (r + 1) * 32))
            local = select(here, IDS[t] - r * 32, 0)
            total = total + rows[position(local), d] * (scalar(1) if wrong else truth(here))
        return total

    return gather, each((T, D), at)


LABELS = leaf("labels", (T,), "i64")
ANY = leaf("any", (T,), "i64")
LOGITS = leaf("logits", (T, 64))


def label_logit(labels: Tensor, last: int = 32) -> Pair:
    """The logit of a label that may be out of range, 0 there; read from a view of one dimension, and by two ranks."""
    flat = reshape(LOGITS, T * 64)

    def inside(t: Index, low: int, high: int) -> Condition:
        return both(compare("le", low, labels[t]), compare("lt", labels[t], high))

    def whole(t: Index) -> Scalar:
        return select(inside(t, 0, 64), flat[position(labels[t]) + t * 64], 0)

    def parts(t: Index) -> Scalar:
        found = scalar(0)
        for r in range(2):
            mine = part(LOGITS, 1, r * 32, (r + 1) * 32)
            here = inside(t, r * 32, r * 32 + last)
            found = found + select(here, mine[t, position(select(here, labels[t] - r * 32, 0))], 0)
        return found

    return each((T,), whole), each((T,), parts)


def maximum_of_parts(*bounds: int, low: float | None = None, lost: int = 0) -> Pair:
    """The greatest element of each row, and the greatest of the greatest of each part; above the diagonal is `low`."""
    rows = X if low is None else each((T, D), lambda i, j: select(j <= i, X[i, j], low))

    def at(i: Index) -> Scalar:
        found: Scalar | None = None
        for a, b in pairwise(bounds):
            top = max_of(b - a - lost, lambda k, a=a: rows[i, k + a])
            found = top if found is None else apply("max", found, top)
        assert found is not None
        return found

    return each((T,), lambda i: max_of(D, lambda k: rows[i, k])), each((T,), at)


ROW = leaf("row", (16,))


def turned_halves(by: int = 4) -> Pair:
    """Halves that are turned by 4, by a quotient and case by case."""

    def cases(k: Index) -> Scalar:
        return select(k < 4, ROW[k + 8], select(k < 12, ROW[k], ROW[k - 8]))

    return each((16,), lambda k: ROW[k + 8 - (k + by) // 8 * 8]), each((16,), cases)


def halves_of_ranks(swapped: bool = False) -> Pair:
    """`[gate; up]` where each rank has a part of both, read in two dimensions."""
    low, high = (1, 0) if swapped else (0, 1)

    def of_rank(r: int) -> Tensor:
        return each((8,), lambda j: select(j < 4, ROW[j + 4 * r], ROW[j + 4 + 4 * r]))

    first, second = of_rank(low), of_rank(high)
    joined = cat(0, part(first, 0, 0, 4), part(second, 0, 0, 4), part(first, 0, 4, 8), part(second, 0, 4, 8))
    return each((2, 8), lambda h, k: ROW[h * 8 + k]), reshape(joined, 2, 8)


FREQ = leaf("freq", (W // 2,))
POS = leaf("pos", (T,), "i64")
COS = leaf("cos_table", (32, W // 2))


def table(wrong: bool = False) -> Pair:
    looked = each((T, W // 2), lambda t, d: COS[position(POS[t]), d])
    return looked, each((T, W // 2), lambda t, d: apply("cos", FREQ[d] * real(t + (1 if wrong else 0))))


BUFFER = leaf("buffer", (T, T))


def mask_buffer(wrong: bool = False) -> Pair:
    """A mask that is a buffer of 0 and -inf."""
    s = scores(Q, K, Fraction(1, 4))
    one = each((T, T), lambda i, j: s[i, j] + BUFFER[i, j])
    return weighted(softmax(one), V), causal_sum(off=-1 if wrong else 0)


B = leaf("bit", (T, T))


def boolean_mask(wrong: bool = False) -> Pair:
    s = scores(Q, K, Fraction(1, 4))
    one = each((T, T), lambda i, j: select(holds(B[i, j]), s[i, j], -INF))
    other = each((T, T), lambda i, j: s[i, j] + select(compare("eq", B[i, j], 1 if wrong else 0), -INF, 0))
    return softmax(one), softmax(other)


def relu(x: Scalar) -> Scalar:
    return apply("max", x, 0)


HIDDEN = linear(X, GATE)

EQUAL: Final[list[Case]] = [
    ("split-q", lambda: (linear(X, WQ), merged(0, 16))),
    ("split-k", lambda: (linear(X, WK), merged(16, 24))),
    ("split-v", lambda: (linear(X, WV), merged(24, 32))),
    ("split-all", lambda: (cat(1, linear(X, WQ), linear(X, WK), linear(X, WV)), linear(X, cat(0, WQ, WK, WV)))),
    ("rope-duplicated", lambda: (rope_half(), rope_duplicated())),
    ("repeat-kv", lambda: (repeated(), grouped())),
    ("softmax-max", lambda: (softmax(scores(Q, K, 1)), softmax(scores(Q, K, 1), with_max=False))),
    ("attention-sum", lambda: (attention(), causal_sum())),
    ("attention-sdpa", lambda: (attention(1 / math.sqrt(W)), sdpa())),
    ("rms-pow", lambda: (rms(), rms(spelling="pow"))),
    ("rms-sqrt", lambda: (rms(), rms(spelling="sqrt"))),
    ("rms-mean", lambda: (rms(), rms(spelling="mean"))),
    ("silu-and-mul", lambda: (mlp(False), mlp(True))),
    *((f"tensor-parallel-{n}", lambda n=n: tensor_parallel(n)) for n in (2, 4, 64)),
    ("column-row-4", lambda: column_row(4)),
    ("heads-by-rank-2", lambda: heads_by_rank(2)),
    ("heads-by-rank-8", lambda: heads_by_rank(8)),
    ("layer-norm", lambda: (layer_norm(False), layer_norm(True))),
    ("late-normalisation", lambda: late_normalisation()),
    ("flash-2", lambda: (softmax_out(), flash())),
    ("flash-3", lambda: (softmax_out(), flash(3))),
    ("flash-normalised", lambda: (softmax_out(), flash_normalised())),
    ("alibi", lambda: alibi()),
    ("interleaved-qkv", lambda: interleaved()),
    ("conv1d", lambda: convolution()),
    ("lora", lambda: lora()),
    ("view", lambda: views()),
    ("gelu-tanh", lambda: gelu(math.sqrt(2 / math.pi))),
    ("window", lambda: window()),
    ("documents", lambda: documents()),
    ("one-hot", lambda: one_hot()),
    ("vocabulary-parallel", lambda: vocabulary_parallel()),
    ("vocabulary-clamped", lambda: vocabulary_clamped()),
    ("label", lambda: label_logit(LABELS)),
    ("label-of-any-size", lambda: label_logit(ANY)),
    ("maximum-of-halves", lambda: maximum_of_parts(0, 4, 8)),
    ("maximum-of-parts", lambda: maximum_of_parts(0, 3, 5, 8)),
    ("minus-maximum", lambda: (lambda a, b: (pointwise(exp, a), pointwise(exp, b)))(*maximum_of_parts(0, 2, 8))),
    ("turned-halves", lambda: turned_halves()),
    ("halves-of-ranks", lambda: halves_of_ranks()),
    ("cos-table", lambda: table()),
    ("mask-buffer", lambda: mask_buffer()),
    ("boolean-mask", lambda: boolean_mask()),
    (
        "tanh-sigmoid",
        lambda: (pointwise(lambda x: apply("tanh", x), X), pointwise(lambda x: 2 * sigmoid(2 * x) - 1, X)),
    ),
    ("sigmoid-exp", lambda: (pointwise(sigmoid, X), pointwise(lambda x: exp(x) / (1 + exp(x)), X))),
    ("relu-where", lambda: (pointwise(relu, HIDDEN), pointwise(lambda x: select(compare("lt", 0, x), x, 0), HIDDEN))),
    ("relu-abs", lambda: (pointwise(relu, X), pointwise(lambda x: (x + apply("abs", x)) / 2, X))),
    (
        "clamp-min-max",
        lambda: (
            pointwise(lambda x: apply("min", apply("max", x, -2), 3), X),
            pointwise(lambda x: select(compare("lt", x, -2), -2, select(compare("lt", 3, x), 3, x)), X),
        ),
    ),
    ("large-negative", lambda: (attention(low=-3.4028234663852886e38), causal_sum())),
    (
        "three-terms",
        lambda: (
            pointwise(lambda a, b, c: a + (b + c), X, linear(X, DOWN_SQUARE), rms()),
            pointwise(lambda a, b, c: (c + a) + b, X, linear(X, DOWN_SQUARE), rms()),
        ),
    ),
    (
        "norm-weight-folded",
        lambda: (
            linear(rms(), WQ),
            linear(each((T, D), lambda i, k: X[i, k] * rms_scale(i)), each((16, D), lambda o, k: WQ[o, k] * G[k])),
        ),
    ),
    ("log-softmax", lambda: log_softmax()),
    ("mean-of-means", lambda: mean_of_means(2)),
    ("clamp-in-two-orders", lambda: clamped(lambda x: least(most(x, -2), 3), lambda x: most(least(x, 3), -2))),
    ("clamp-by-relu", lambda: clamped(lambda x: most(least(x, 1), -1), lambda x: relu(x + 1) - relu(x - 1) - 1)),
    (
        "hardswish",
        lambda: clamped(
            lambda x: x * least(relu(x + 3), 6) / 6,
            lambda x: select(compare("le", x, scalar(-3)), 0, select(compare("lt", x, scalar(3)), x * (x + 3) / 6, x)),
        ),
    ),
    ("max-of-three", lambda: of_three(lambda a, b, c: most(most(a, b), c), lambda a, b, c: most(a, most(c, b)))),
    (
        "median",
        lambda: of_three(
            lambda a, b, c: most(least(a, b), least(most(a, b), c)),
            lambda a, b, c: a + b + c - most(a, most(b, c)) - least(a, least(b, c)),
        ),
    ),
]

DOWN_SQUARE = leaf("square", (D, D))


def rms_scale(i: Index) -> Scalar:
    return rsqrt(sum_of(D, lambda j: X[i, j] * X[i, j]) / D + 1e-6)


def softmax_out() -> Tensor:
    return weighted(softmax(scores(Q, K, Fraction(1, 4))), V)


def log_softmax() -> Pair:
    def at(i: Index, j: Index) -> Scalar:
        top = max_of(D, lambda k: X[i, k])
        return X[i, j] - top - apply("log", sum_of(D, lambda k: exp(X[i, k] - top)))

    return each((T, D), at), pointwise(lambda p: apply("log", p), softmax(X))


def most(x: Scalar, y: Scalar | int) -> Scalar:
    return apply("max", x, y)


def least(x: Scalar, y: Scalar | int) -> Scalar:
    return apply("min", x, y)


def clamped(one: Callable[[Scalar], Scalar], other: Callable[[Scalar], Scalar]) -> Pair:
    return pointwise(lambda x: one(8 * x), X), pointwise(lambda x: other(8 * x), X)


def of_three(one: Callable[..., Scalar], other: Callable[..., Scalar]) -> Pair:
    return pointwise(one, X, Y, Z), pointwise(other, X, Y, Z)


def mean_of_means(parts: int, uneven: bool = False) -> Pair:
    n = D // parts

    def at(i: Index) -> Scalar:
        bounds = [0, n + uneven, D]
        means = [sum_of(b - a, lambda j, a=a: X[i, j + a]) / (b - a) for a, b in pairwise(bounds)]
        return (means[0] + means[1]) / 2

    return each((T,), lambda i: sum_of(D, lambda j: X[i, j]) / D), each((T,), at)


WRONG: Final[list[Case]] = [
    ("split-off-by-one", lambda: (linear(X, WK), merged(15, 23))),
    ("not-transposed", lambda: (linear(X, DOWN_SQUARE), matmul(X, DOWN_SQUARE))),
    ("rope-pairs", lambda: (rope_half(), rope_pairs())),
    ("repeat-kv-interleaved", lambda: (repeated(True), grouped())),
    ("causal-off-by-one", lambda: (attention(), causal_sum(off=1))),
    ("scale", lambda: (attention(), causal_sum(scale=Fraction(1, 8)))),
    ("sdpa-scale", lambda: (attention(1 / math.sqrt(W) * 1.0001), sdpa())),
    ("eps-outside", lambda: (rms(), rms(eps_inside=False))),
    ("eps-other", lambda: (rms(), rms(eps=1.1e-6))),
    ("up-gate-swapped", lambda: (mlp(False), mlp(True, swap=True))),
    ("heads-by-rank-shifted", lambda: heads_by_rank(4, wrong=True)),
    ("rank-lost", lambda: tensor_parallel(4, lose=True)),
    ("variance-mean", lambda: (layer_norm(False), layer_norm(True, wrong=True))),
    ("late-normalisation-short", lambda: late_normalisation(True)),
    ("flash-without-rescaling", lambda: (softmax_out(), flash(lose=True))),
    ("alibi-slope", lambda: alibi(True)),
    ("interleaved-as-merged", lambda: interleaved(True)),
    ("conv1d-flipped", lambda: convolution(True)),
    ("lora-reversed", lambda: lora(True)),
    ("view-wrong", lambda: views(True)),
    ("gelu-constant", lambda: gelu(0.797724)),
    ("gelu-erf", lambda: (gelu(0.5)[0], pointwise(lambda x: x * (1 + apply("erf", x * math.sqrt(0.5))) / 2, X))),
    ("window-wider", lambda: window(True)),
    ("one-hot-shifted", lambda: one_hot(True)),
    ("vocabulary-unmasked", lambda: vocabulary_clamped(True)),
    ("label-mask-short", lambda: label_logit(LABELS, 16)),
    ("maximum-without-ends", lambda: maximum_of_parts(0, 4, 8, lost=3)),
    ("maximum-of-overlapping", lambda: maximum_of_parts(0, 4, 6)),
    ("turned-too-far", lambda: turned_halves(5)),
    ("halves-of-ranks-swapped", lambda: halves_of_ranks(True)),
    ("cos-table-shifted", lambda: table(True)),
    ("mask-buffer-strict", lambda: mask_buffer(True)),
    ("boolean-mask-negated", lambda: boolean_mask(True)),
    ("tanh-sigmoid-1", lambda: (pointwise(lambda x: apply("tanh", x), X), pointwise(lambda x: 2 * sigmoid(x) - 1, X))),
    ("mean-of-uneven", lambda: mean_of_means(2, uneven=True)),
    ("clamp-limits-crossed", lambda: clamped(lambda x: least(most(x, 1), -1), lambda x: most(least(x, -1), 1))),
    ("clamp-by-relu-wide", lambda: clamped(lambda x: most(least(x, 1), -1), lambda x: relu(x + 1) - relu(x - 2) - 1)),
    (
        "hardswish-one-sided",
        lambda: clamped(
            lambda x: x * least(relu(x + 3), 6) / 6,
            lambda x: select(compare("lt", x, scalar(3)), x * (x + 3) / 6, x),
        ),
    ),
    ("max-of-two", lambda: of_three(lambda a, b, c: most(most(a, b), c), lambda a, b, c: most(a, most(b, b)))),
]

FACTS: Final = LeafFacts(
    {
        "ids": LeafFact(integers=(0, 127)),
        "labels": LeafFact(integers=(-8, 71)),
        "any": LeafFact(whole=True),
        "bit": LeafFact(boolean=True),
        "buffer": fact_of_array(np.triu(np.full((T, T), -INF), 1)),
        "pos": fact_of_array(np.arange(T)),
        "cos_table": defined_as(
            each((32, W // 2), lambda p, d: apply("cos", real(p) * FREQ[d])), because="table samples cos(p * f)"
        ),
    }
)


def proved(pair: Pair) -> Proof | Gap:
    one, other = pair
    assert one.shape == other.shape
    indices, left = one.generic()
    return prove_equal(indices, left, other[indices], FACTS, Limits(seconds=2.0))


@pytest.mark.parametrize("case", EQUAL, ids=lambda c: c[0])
def test_equal(case: Case) -> None:
    found = proved(case[1]())
    assert isinstance(found, Proof), found.text


@pytest.mark.parametrize("case", WRONG, ids=lambda c: c[0])
def test_wrong(case: Case) -> None:
    found = proved(case[1]())
    assert isinstance(found, Gap)
    assert found.refuted and not found.budget, found.text
