"""Attention written out in tosa, as one fused op.

    hecv rewrite examples/attention.mlir --rules examples/rules/attention.py -o OUT
"""

from hecv.rules import op, pattern, rule, tosa


@op("my.attention")
def attention(q, k, v, scale): ...


@pattern
def scores(q, k, scale):
    """Products of queries and keys, scaled."""
    kt = tosa.transpose(k, perms=(0, 2, 1))
    return tosa.mul(tosa.matmul(q, kt, 0.0, 0.0), scale, 0)


@pattern
def softmax(x):
    """Exponentials over their sums, the greatest taken off first."""
    shifted = tosa.exp(tosa.sub(x, tosa.reduce_max(x, axis=2)))
    return tosa.mul(shifted, tosa.reciprocal(tosa.reduce_sum(shifted, axis=2)), 0)


@pattern
def mha(q, k, v, scale):
    return tosa.matmul(softmax(scores(q, k, scale)), v, 0.0, 0.0)


@rule(mha)
def fuse_attention(q, k, v, scale):
    return attention(q, k, v, scale)
