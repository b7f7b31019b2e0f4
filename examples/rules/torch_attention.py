"""Attention of PyTorch models written out in ATen ops (`attn_implementation="eager"`), as one fused op.

`hecv.rewrite.fx_rewriting.rewrite` applies it to a torch.fx graph; `benchmarks/patterns.py` measures the matching of `mha`. The op is
`softmax(q @ k.mT * factor / divisor + mask) @ v`: all that the model has is handed on, or there is no match.
"""

from hecv.rules import op, pattern, rule, torch, var


@op("my.attention")
def attention(q, k, v, factor, divisor, mask): ...


@op("torch.aten.dropout")
def dropout(x, p, train): ...


@pattern
def scores(q, k):
    """Products of queries and keys: the last two dimensions of the keys are exchanged."""
    i, j = var(), var()
    kt = torch.aten.transpose.int(k, i, j)
    assert i.value % k.rank + j.value % k.rank == 2 * k.rank - 3
    return torch.aten.matmul(q, kt)


def times(x, factor):
    return torch.aten.mul.Tensor(x, factor)


def over(x, divisor):
    return torch.aten.div.Tensor(x, divisor)


@pattern
def masked(x, mask):
    alpha = var()
    assert alpha.value == 1
    return torch.aten.add.Tensor(x, mask, alpha)


@pattern
def weights(x):
    axis, dtype = var(), var()
    assert axis.value == -1 or axis.value == x.rank - 1
    return torch.aten.softmax.int(x, axis, dtype)


@pattern
def weights(x):
    """Computed in another format."""
    dtype, non_blocking, copy, layout = var(), var(), var(), var()
    return torch.aten.to.dtype(weights(x), dtype, non_blocking, copy, layout)


@pattern
def weights(x):
    """Without effect once the model is trained."""
    p = var()
    return dropout(weights(x), p, False)


@pattern
def attended(x, v):
    return torch.aten.matmul(weights(x), v)


# In any spelling


@pattern
def scaled(q, k):
    factor = var()
    return times(scores(q, k), factor)


@pattern
def scaled(q, k):
    divisor = var()
    return over(scores(q, k), divisor)


@pattern
def scaled(q, k):
    return scores(q, k)


@pattern
def mha(q, k, v):
    mask = var()
    return attended(masked(scaled(q, k), mask), v)


@pattern
def mha(q, k, v):
    return attended(scaled(q, k), v)


# Each spelling with what it has


@pattern
def by_factor(q, k, v, factor):
    return attended(times(scores(q, k), factor), v)


@pattern
def by_factor_masked(q, k, v, factor, mask):
    return attended(masked(times(scores(q, k), factor), mask), v)


@pattern
def by_divisor(q, k, v, divisor):
    return attended(over(scores(q, k), divisor), v)


@pattern
def by_divisor_masked(q, k, v, divisor, mask):
    return attended(masked(over(scores(q, k), divisor), mask), v)


@pattern
def plain(q, k, v):
    return attended(scores(q, k), v)


@pattern
def plain_masked(q, k, v, mask):
    return attended(masked(scores(q, k), mask), v)


@rule(by_factor)
def fuse_by_factor(q, k, v, factor):
    return attention(q, k, v, factor, 1.0, 0.0)


@rule(by_factor_masked)
def fuse_by_factor_masked(q, k, v, factor, mask):
    return attention(q, k, v, factor, 1.0, mask)


@rule(by_divisor)
def fuse_by_divisor(q, k, v, divisor):
    return attention(q, k, v, 1.0, divisor, 0.0)


@rule(by_divisor_masked)
def fuse_by_divisor_masked(q, k, v, divisor, mask):
    return attention(q, k, v, 1.0, divisor, mask)


@rule(plain)
def fuse_plain(q, k, v):
    return attention(q, k, v, 1.0, 1.0, 0.0)


@rule(plain_masked)
def fuse_plain_masked(q, k, v, mask):
    return attention(q, k, v, 1.0, 1.0, mask)
