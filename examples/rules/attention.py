"""Attention written out in tosa, as one fused op.

hecv rewrite examples/attention.mlir --rules examples/rules/attention.py -o OUT
"""

from hecv.rules import op, pattern, rule, tosa


@op("my.attention")
def attention(q, k, v, scale): ...


@pattern
def times(x, y):
    return tosa.mul(x, y, 0)


@pattern
def times(x, y):
    return tosa.mul(y, x, 0)


def transposed(k):
    return tosa.transpose(k, perms=(0, 2, 1))


def is_one_number(scale):
    """Not a mask, which has an element for each product."""
    return scale.shape == (1, 1, 1)


@pattern
def scores(q, k, scale):
    """Products of queries and keys, scaled, or of what was scaled before."""
    assert is_one_number(scale)
    return times(tosa.matmul(q, transposed(k), 0.0, 0.0), scale)


@pattern
def scores(q, k, scale):
    assert is_one_number(scale)
    return tosa.matmul(times(q, scale), transposed(k), 0.0, 0.0)


@pattern
def scores(q, k, scale):
    assert is_one_number(scale)
    return tosa.matmul(q, transposed(times(k, scale)), 0.0, 0.0)


@pattern
def scores(q, k, scale):
    assert is_one_number(scale)
    return tosa.matmul(q, times(transposed(k), scale), 0.0, 0.0)


@pattern
def softmax(x):
    """Exponentials over their sums, the greatest taken off first."""
    shifted = tosa.exp(tosa.sub(x, tosa.reduce_max(x, axis=2)))
    return times(shifted, tosa.reciprocal(tosa.reduce_sum(shifted, axis=2)))


@pattern
def mha(q, k, v, scale):
    return tosa.matmul(softmax(scores(q, k, scale)), v, 0.0, 0.0)


@rule(mha)
def fuse_attention(q, k, v, scale):
    return attention(q, k, v, scale)
