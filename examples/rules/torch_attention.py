"""Attention of PyTorch models written out in ATen ops (`attn_implementation="eager"`), as one fused op.

`hecv.rewrite.fx.rewrite` applies it to a torch.fx graph; `benchmarks/patterns.py` measures the matching.
"""

from hecv.rules import op, pattern, rule, torch, var


@op("my.attention")
def attention(q, k, v): ...


@op("torch.aten.dropout")
def dropout(x, p, train): ...


@pattern
def scores(q, k):
    """Products of queries and keys."""
    i, j = var(), var()
    return torch.aten.matmul(q, torch.aten.transpose.int(k, i, j))


@pattern
def scaled(q, k):
    alpha = var()
    return torch.aten.mul.Tensor(scores(q, k), alpha)


@pattern
def scaled(q, k):
    alpha = var()
    return torch.aten.div.Tensor(scores(q, k), alpha)


@pattern
def scaled(q, k):
    return scores(q, k)


@pattern
def masked(q, k):
    mask, alpha = var(), var()
    return torch.aten.add.Tensor(scaled(q, k), mask, alpha)


@pattern
def masked(q, k):
    return scaled(q, k)


@pattern
def weights(q, k):
    axis, dtype = var(), var()
    return torch.aten.softmax.int(masked(q, k), axis, dtype)


@pattern
def weights(q, k):
    """Computed in another format."""
    dtype, non_blocking, copy, layout = var(), var(), var(), var()
    return torch.aten.to.dtype(weights(q, k), dtype, non_blocking, copy, layout)


@pattern
def weights(q, k):
    """Without effect once the model is trained."""
    p = var()
    return dropout(weights(q, k), p, False)


@pattern
def mha(q, k, v):
    return torch.aten.matmul(weights(q, k), v)


@rule(mha)
def fuse_attention(q, k, v):
    return attention(q, k, v)
