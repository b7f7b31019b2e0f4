"""Sequential layers, and programs for one rank each that are to refine them: tensor, sequence, vocabulary, expert,
context, data and pipeline parallelism, forward and backward. Each `wrong_*` has one mistake."""

from __future__ import annotations

import math
from zlib import crc32

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, INNER, HEADS, GROUPS, SIZE, WORDS = 8, 8, 16, 4, 4, 4, 16


def weight(name: str, *shape: int) -> torch.Tensor:
    made = torch.Generator().manual_seed(crc32(name.encode()))
    return torch.randn(shape, generator=made, dtype=torch.float64) / math.sqrt(shape[-1])


class Model(nn.Module):
    """A module with these parameters whose forward is a function of the module and its inputs."""

    def __init__(self, call, **parameters: torch.Tensor) -> None:
        super().__init__()
        self.call = call
        for name, value in parameters.items():
            setattr(self, name, nn.Parameter(value.clone()))

    def forward(self, x):
        return self.call(self, x)


X = weight("x", TOKENS, WIDTH)
IDS = torch.arange(TOKENS) * 5 % WORDS
GATE, UP, DOWN = weight("gate", INNER, WIDTH), weight("up", INNER, WIDTH), weight("down", WIDTH, INNER)
Q, K, V = (weight(n, HEADS * SIZE, WIDTH) for n in "qkv")
O = weight("o", WIDTH, HEADS * SIZE)  # noqa: E741
NORM, BIAS = 1 + weight("norm", WIDTH) / 4, weight("bias", WIDTH)
TABLE = weight("table", WORDS, WIDTH)


def rms(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def all_reduce(x):
    return funcol.all_reduce(x, "sum", dist.group.WORLD)


class Copied(torch.autograd.Function):
    """The identity, whose gradient is summed over ranks (Megatron's f)."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return all_reduce(gradient)


class Summed(torch.autograd.Function):
    """The sum over ranks, whose gradient is the identity (Megatron's g)."""

    @staticmethod
    def forward(ctx, x):
        return all_reduce(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


# Tensor parallelism of a gated MLP


def mlp():
    def call(m, x):
        return x + (F.silu(x @ m.gate.T) * (x @ m.up.T)) @ m.down.T + m.bias

    return Model(call, gate=GATE, up=UP, down=DOWN, bias=BIAS), (X,)


def _mlp_rank(rank, size, add_bias=True, reduce=True, twice=False):
    def call(m, x):
        y = (F.silu(F.linear(x, m.gate)) * F.linear(x, m.up)) @ m.down.T
        if not add_bias:
            y = y + m.bias
        if reduce:
            dist.all_reduce(y)
        if twice:
            dist.all_reduce(y)
        return x + y + (m.bias if add_bias else 0)

    part = lambda t, d: t.chunk(size, d)[rank]  # noqa: E731
    return Model(call, gate=part(GATE, 0), up=part(UP, 0), down=part(DOWN, 1), bias=BIAS), (X,)


def mlp_tp(rank, size):
    return _mlp_rank(rank, size)


def wrong_mlp_bias_on_each_rank(rank, size):
    return _mlp_rank(rank, size, add_bias=False)


def wrong_mlp_without_reduce(rank, size):
    return _mlp_rank(rank, size, reduce=False)


def wrong_mlp_reduced_twice(rank, size):
    return _mlp_rank(rank, size, twice=True)


def wrong_mlp_deadlock(rank, size):
    return _mlp_rank(rank, size, reduce=rank != 1)


# Its gradients


def _loss_and_gradients(m, x, forward):
    x = x.detach().requires_grad_()
    names = [n for n, _ in m.named_parameters()]
    loss = forward(x).pow(2).sum()
    found = torch.autograd.grad(loss, [x, *(getattr(m, n) for n in names)])
    return {"loss": loss, "x": found[0], **dict(zip(names, found[1:], strict=True))}


def mlp_backward():
    def call(m, x):
        return _loss_and_gradients(m, x, lambda x: x + (F.silu(x @ m.gate.T) * (x @ m.up.T)) @ m.down.T)

    return Model(call, gate=GATE, up=UP, down=DOWN), (X,)


def _mlp_backward_rank(rank, size, copied=True):
    def call(m, x):
        def forward(x):
            y = Copied.apply(x) if copied else x
            return x + Summed.apply((F.silu(y @ m.gate.T) * (y @ m.up.T)) @ m.down.T)

        return _loss_and_gradients(m, x, forward)

    part = lambda t, d: t.chunk(size, d)[rank]  # noqa: E731
    return Model(call, gate=part(GATE, 0), up=part(UP, 0), down=part(DOWN, 1)), (X,)


def mlp_backward_tp(rank, size):
    return _mlp_backward_rank(rank, size)


def wrong_mlp_backward_without_reduce(rank, size):
    return _mlp_backward_rank(rank, size, copied=False)


# Attention


def turned(x, first=0):
    """Rotary embedding of halves."""
    angle = (torch.arange(x.shape[-2]) + first)[:, None] / 100.0 ** (torch.arange(0, SIZE, 2) / SIZE)
    one, two = x.chunk(2, -1)
    return torch.cat((one * angle.cos() - two * angle.sin(), two * angle.cos() + one * angle.sin()), -1)


def heads(x):
    return x.unflatten(-1, (-1, SIZE)).transpose(-3, -2)


def attended(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(-3, -2).flatten(-2)


def attention():
    def call(m, x):
        y = rms(x, m.norm)
        q, k, v = (heads(y @ w.T) for w in (m.q, m.k, m.v))
        return x + attended(turned(q), turned(k), v) @ m.o.T

    return Model(call, q=Q, k=K, v=V, o=O, norm=NORM), (X,)


def _attention_rank(rank, size, dim=1, shift=0):
    def call(m, x):
        y = rms(x, m.norm)
        q, k, v = (heads(y @ w.T) for w in (m.q, m.k, m.v))
        return x + all_reduce(attended(turned(q, shift * rank), turned(k), v) @ m.o.T)

    part = lambda t, d: t.chunk(size, d)[rank]  # noqa: E731
    return Model(call, q=part(Q, 0), k=part(K, 0), v=part(V, 0), o=part(O, dim), norm=NORM), (X,)


def attention_tp(rank, size):
    return _attention_rank(rank, size)


def wrong_attention_position(rank, size):
    return _attention_rank(rank, size, shift=1)


# Sequence parallelism: activations between blocks are shards of the tokens


def _sequence_rank(rank, size, offset=True, gather_dim=0, swapped=False):
    def call(m, x):
        y = rms(x, m.norm)
        whole = funcol.all_gather_tensor(y, gather_dim, dist.group.WORLD)
        made = (F.silu(whole @ m.gate.T) * (whole @ m.up.T)) @ m.down.T
        return x + funcol.reduce_scatter_tensor(made, "sum", 0, dist.group.WORLD)

    part = lambda t, d: t.chunk(size, d)[rank]  # noqa: E731
    down = DOWN.chunk(size, 1)[(rank + 1) % size] if swapped else part(DOWN, 1)
    return Model(call, gate=part(GATE, 0), up=part(UP, 0), down=down, norm=NORM), (part(X, 0),)


def normed_mlp():
    def call(m, x):
        y = rms(x, m.norm)
        return x + (F.silu(y @ m.gate.T) * (y @ m.up.T)) @ m.down.T

    return Model(call, gate=GATE, up=UP, down=DOWN, norm=NORM), (X,)


def normed_mlp_sp(rank, size):
    return _sequence_rank(rank, size)


# Vocabulary parallelism: the table is sharded by words


def embedding():
    return Model(lambda m, ids: F.embedding(ids, m.table), table=TABLE), (IDS,)


def _embedding_rank(rank, size, late=0):
    each = WORDS // size

    def call(m, ids):
        local = ids - rank * each
        inside = (local >= 0) & (local < each + late)
        found = F.embedding(local.clamp(0, each - 1), m.table)
        return all_reduce(torch.where(inside[:, None], found, 0.0))

    return Model(call, table=TABLE.chunk(size)[rank]), (IDS,)


def embedding_vp(rank, size):
    return _embedding_rank(rank, size)


def wrong_embedding_mask(rank, size):
    return _embedding_rank(rank, size, late=1)


def head():
    return Model(lambda m, x: x @ m.table.T, table=TABLE), (X,)


def head_vp(rank, size):
    def call(m, x):
        return funcol.all_gather_tensor(x @ m.table.T, 1, dist.group.WORLD)

    return Model(call, table=TABLE.chunk(size)[rank]), (X,)


def wrong_head_gathered_along_tokens(rank, size):
    def call(m, x):
        return funcol.all_gather_tensor(x @ m.table.T, 0, dist.group.WORLD).reshape(TOKENS, WORDS)

    return Model(call, table=TABLE.chunk(size)[rank]), (X,)


# Data parallelism, and gradient accumulation


def mean_gradient():
    def call(m, x):
        loss = (x @ m.gate.T).pow(2).mean()
        return torch.autograd.grad(loss, m.gate)[0]

    return Model(call, gate=GATE), (X,)


def _data_rank(rank, size, scale=True, parts=1):
    def call(m, x):
        total = 0
        for piece in x.chunk(parts):
            loss = (piece @ m.gate.T).pow(2).mean() / (parts if scale else 1)
            total = total + torch.autograd.grad(loss, m.gate)[0]
        return funcol.all_reduce(total, "avg", dist.group.WORLD)

    return Model(call, gate=GATE), (X.chunk(size)[rank],)


def mean_gradient_dp(rank, size):
    return _data_rank(rank, size)


def mean_gradient_accumulated(rank, size):
    return _data_rank(rank, size, parts=2)


def wrong_gradient_scale(rank, size):
    return _data_rank(rank, size, scale=False, parts=2)


# Pipeline parallelism: two stages, micro-batches


def two_layers():
    return Model(lambda m, x: F.gelu(x @ m.gate.T) @ m.down.T, gate=GATE, down=DOWN), (X,)


def _stage(rank, size, order=(0, 1)):
    def first(m, x):
        for piece in x.chunk(2):
            dist.send(F.gelu(piece @ m.gate.T), 1)
        return x.new_zeros(1)

    def second(m, x):
        found = []
        for _ in range(2):
            held = x.new_empty(TOKENS // 2, INNER)
            dist.recv(held, 0)
            found.append(held @ m.down.T)
        return torch.cat([found[k] for k in order])

    if rank == 0:
        return Model(first, gate=GATE), (X,)
    return Model(second, down=DOWN), (X,)


def two_layers_pp(rank, size):
    return _stage(rank, size)


def wrong_stage_order(rank, size):
    return _stage(rank, size, (1, 0))


def wrong_stage_missing(rank, size):
    if rank == 0:
        return Model(lambda m, x: x.new_zeros(1), gate=GATE), (X,)
    return _stage(rank, size)


# Context parallelism: keys and values go round in blocks, sums are rescaled


def plain_attention():
    def call(m, x):
        q, k, v = (x @ w.T for w in (m.q, m.k, m.v))
        return (q @ k.T / math.sqrt(HEADS * SIZE)).softmax(-1) @ v

    return Model(call, q=Q, k=K, v=V), (X,)


def _context_rank(rank, size, rescaled=True):
    def call(m, x):
        q, k, v = (x @ w.T for w in (m.q, m.k, m.v))
        ks = funcol.all_gather_tensor(k, 0, dist.group.WORLD).chunk(size)
        vs = funcol.all_gather_tensor(v, 0, dist.group.WORLD).chunk(size)
        top = total = out = None
        for key, value in zip(ks, vs, strict=True):
            score = q @ key.T / math.sqrt(HEADS * SIZE)
            here = score.amax(-1, keepdim=True)
            new = here if top is None else torch.maximum(top, here)
            p = (score - new).exp()
            keep = 0 if top is None else (top - new).exp() if rescaled else 1
            total = p.sum(-1, keepdim=True) + (0 if total is None else total * keep)
            out = p @ value + (0 if out is None else out * keep)
            top = new
        return out / total

    return Model(call, q=Q, k=K, v=V), (X.chunk(size)[rank],)


def plain_attention_cp(rank, size):
    return _context_rank(rank, size)


def wrong_context_scale(rank, size):
    return _context_rank(rank, size, rescaled=False)


# Expert parallelism: a fixed number of tokens for each expert goes to its rank and back


def experts():
    def call(m, x):
        return torch.cat([F.relu(part @ w.T) for part, w in zip(x.chunk(2), m.experts, strict=True)])

    return Model(call, experts=torch.stack((GATE, UP))), (X,)


def _expert_rank(rank, size, back=True):
    each = TOKENS // 2 // size

    def call(m, x):
        sent = funcol.all_to_all_single(x, [each] * size, [each] * size, dist.group.WORLD)
        made = F.relu(sent @ m.experts[0].T)
        return funcol.all_to_all_single(made, [each] * size, [each] * size, dist.group.WORLD) if back else made

    mine = torch.cat([part.chunk(size)[rank] for part in X.chunk(2)])
    return Model(call, experts=torch.stack((GATE, UP))[rank : rank + 1]), (mine,)


def experts_ep(rank, size):
    return _expert_rank(rank, size)
