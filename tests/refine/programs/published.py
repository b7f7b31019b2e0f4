"""Published mistakes of distributed programs, in small: what the model computes, ranks that compute it, and ranks with
the mistake (`wrong_*`). `test_published_mistakes.py` says where each was published."""

from __future__ import annotations

import math

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from layers import BIAS, DOWN, GATE, NORM, SIZE, TABLE, TOKENS, UP, WIDTH, WORDS, Model, X, all_reduce, weight

HALF = SIZE // 2


def part(t, rank, size, dim=0):
    return t.chunk(size, dim)[rank]


def gathered(x, dim=0):
    return funcol.all_gather_tensor(x, dim, dist.group.WORLD)


def gradients(loss, *of):
    return torch.autograd.grad(loss, of)


# The backward pass of rotary embedding under sequence parallelism


def _angles(first, count):
    angle = (torch.arange(count) + first)[:, None] / 100.0 ** (torch.arange(0, SIZE, 2) / SIZE)
    return angle.cos(), angle.sin()


def _turned(x, cos, sin):
    one, two = x.chunk(2, -1)
    return torch.cat((one * cos - two * sin, two * cos + one * sin), -1)


class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, first, first_back):
        ctx.first = first_back
        return _turned(x, *_angles(first, x.shape[0]))

    @staticmethod
    def backward(ctx, gradient):
        cos, sin = _angles(ctx.first, gradient.shape[0])
        return _turned(gradient, cos, -sin), None, None


Q1 = weight("q1", SIZE, WIDTH)


def _rotary(m, x, first, first_back):
    x = x.detach().requires_grad_()
    y = Turned.apply(x @ m.q.T, first, first_back)
    return gradients((y**3).sum(), x)[0]


def rotary():
    return Model(lambda m, x: _rotary(m, x, 0, 0), q=Q1), (X,)


def rotary_sp(rank, size):
    first = rank * TOKENS // size
    return Model(lambda m, x: _rotary(m, x, first, first), q=Q1), (part(X, rank, size),)


def wrong_rotary_backward(rank, size):
    return Model(lambda m, x: _rotary(m, x, rank * TOKENS // size, 0), q=Q1), (part(X, rank, size),)


def rotary_forward():
    return Model(lambda m, x: _turned(x @ m.q.T, *_angles(0, TOKENS)), q=Q1), (X,)


def _rotary_forward(rank, size, first):
    each = TOKENS // size
    return Model(lambda m, x: _turned(x @ m.q.T, *_angles(first, each)), q=Q1), (part(X, rank, size),)


def rotary_forward_sp(rank, size):
    return _rotary_forward(rank, size, rank * TOKENS // size)


def wrong_rotary_offset(rank, size):
    return _rotary_forward(rank, size, 0)


# An auxiliary loss, the same on all ranks, beside a loss that is a sum over ranks

ROUTER = weight("router", 4, WIDTH)


def _with_auxiliary(m, x, scale):
    x = x.detach().requires_grad_()
    auxiliary = (x @ m.router.T).softmax(-1).mean(0).pow(2).sum()
    return gradients((x @ m.gate.T).pow(2).sum() + auxiliary * scale, x)[0]


def auxiliary():
    return Model(lambda m, x: _with_auxiliary(m, x, 1.0), gate=GATE, router=ROUTER), (X,)


def _auxiliary(rank, size, scale):
    call = lambda m, x: all_reduce(_with_auxiliary(m, x, scale))  # noqa: E731
    return Model(call, gate=part(GATE, rank, size), router=ROUTER), (X,)


def auxiliary_tp(rank, size):
    return _auxiliary(rank, size, 1.0 / size)


def wrong_auxiliary_scale(rank, size):
    return _auxiliary(rank, size, 1.0)


# Uneven shards of a sequence: padded, gathered, padding sliced off


def uneven():
    return Model(lambda m, x: F.silu(x @ m.w), w=GATE.T), (X[:7],)


def _uneven(rank, size, call):
    def whole(m, x):
        y = F.silu(x @ m.w)
        return call(gathered(F.pad(y, (0, 0, 0, 4 - y.shape[0]))))

    return Model(whole, w=GATE.T), (X[:3] if rank == 0 else X[3:7],)


def uneven_sp(rank, size):
    return _uneven(rank, size, lambda y: torch.cat([y[:3], y[4:]]))


def wrong_slice_of_padding(rank, size):
    return _uneven(rank, size, lambda y: y[:7])


# Weights of experts, sharded where the tokens are sharded, too


def expert():
    return Model(lambda m, x: F.relu(x @ m.up.T) @ m.down.T, up=UP, down=DOWN), (X,)


def expert_replicated(rank, size):
    return Model(lambda m, x: F.relu(x @ m.up.T) @ m.down.T, up=UP, down=DOWN), (part(X, rank, size),)


def wrong_expert_sharded(rank, size):
    mine = {"up": part(UP, rank, size), "down": part(DOWN, rank, size, 1)}
    return Model(lambda m, x: F.relu(x @ m.up.T) @ m.down.T, **mine), (part(X, rank, size),)


# Gradient accumulation


def mean_gradient():
    return Model(lambda m, x: gradients((x @ m.gate.T).pow(2).mean(), m.gate)[0], gate=GATE), (X,)


def _accumulated(scale):
    def call(m, x):
        return sum(gradients((piece @ m.gate.T).pow(2).mean() * scale, m.gate)[0] for piece in x.chunk(4))

    return Model(call, gate=GATE), (X,)


def accumulated(rank, size):
    return _accumulated(1 / 4)


def wrong_accumulated(rank, size):
    return _accumulated(1)


# The gradient of a norm's weight


def _norm_gradient(m, x):
    return gradients((F.layer_norm(x, (WIDTH,), m.norm, m.bias) @ m.up.T).pow(2).sum(), m.norm)[0]


def norm():
    return Model(_norm_gradient, norm=NORM, bias=BIAS, up=UP), (X,)


def norm_sp(rank, size):
    call = lambda m, x: all_reduce(_norm_gradient(m, x))  # noqa: E731
    return Model(call, norm=NORM, bias=BIAS, up=UP), (part(X, rank, size),)


def wrong_norm(rank, size):
    return Model(_norm_gradient, norm=NORM, bias=BIAS, up=UP), (part(X, rank, size),)


def wrong_replicated_gradient(rank, size):
    return Model(lambda m, x: all_reduce(_norm_gradient(m, x)), norm=NORM, bias=BIAS, up=UP), (X,)


# Query, key and value in one weight, interleaved by groups of heads

GROUPS, EACH = 2, 2
ROWS = (GROUPS * EACH * SIZE, GROUPS * SIZE, GROUPS * SIZE)
QKV = weight("qkv", sum(ROWS), WIDTH)


def _split(y, groups):
    q, k, v = y.view(-1, groups, EACH + 2, SIZE).split((EACH, 1, 1), 2)
    return _attended(q.flatten(1, 2), k.flatten(1, 2), v.flatten(1, 2))


def _attended(q, k, v):
    q, k, v = (t.transpose(0, 1) for t in (q, k.repeat_interleave(EACH, 1), v.repeat_interleave(EACH, 1)))
    return (q @ k.mT / math.sqrt(SIZE)).softmax(-1) @ v


def grouped_weight():
    return Model(lambda m, x: _split(x @ m.qkv.T, GROUPS), qkv=QKV), (X,)


def _loaded(rank, size):
    """The loader takes the rows for those of query, key and value one behind the other."""
    return torch.cat([part(rows, rank, size) for rows in QKV.split(ROWS)])


def grouped_weight_by_groups(rank, size):
    return Model(lambda m, x: _split(x @ m.qkv.T, GROUPS // size), qkv=part(QKV, rank, size)), (X,)


def grouped_weight_regrouped(rank, size):
    def call(m, x):
        mine = [rows // size for rows in ROWS]
        pieces = [y.split(mine, 1) for y in gathered(x @ m.qkv.T, 1).chunk(size, 1)]
        whole = torch.cat([y[k] for k in range(3) for y in pieces], 1)
        q, k, v = whole.view(-1, GROUPS, EACH + 2, SIZE).split((EACH, 1, 1), 2)
        return _attended(*(part(t.flatten(1, 2), rank, size, 1) for t in (q, k, v)))

    return Model(call, qkv=_loaded(rank, size)), (X,)


def wrong_grouped_weight(rank, size):
    return Model(lambda m, x: _split(x @ m.qkv.T, GROUPS // size), qkv=_loaded(rank, size)), (X,)


# Gate and up in one weight


def merged():
    def call(m, x):
        up, gate = (x @ m.merged.T).chunk(2, -1)
        return (F.silu(gate) * up) @ m.down.T

    return Model(call, merged=torch.cat((UP, GATE)), down=DOWN), (X,)


def _merged(rank, size, weight, first="up"):
    def call(m, x):
        up, gate = (x @ m.merged.T).chunk(2, -1)
        if first == "gate":
            up, gate = gate, up
        return all_reduce((F.silu(gate) * up) @ m.down.T)

    return Model(call, merged=weight, down=part(DOWN, rank, size, 1)), (X,)


def merged_tp(rank, size):
    return _merged(rank, size, torch.cat((part(UP, rank, size), part(GATE, rank, size))))


def wrong_merged_rows(rank, size):
    return _merged(rank, size, part(torch.cat((UP, GATE)), rank, size))


def wrong_merged_order(rank, size):
    return _merged(rank, size, torch.cat((part(UP, rank, size), part(GATE, rank, size))), "gate")


# A head whose shard of the vocabulary is allocated in full size


def head():
    return Model(lambda m, x: x @ m.table.T, table=TABLE), (X,)


def _head(rank, size, call):
    each = WORDS // size
    return Model(
        lambda m, x: call(x @ m.table.T, each), table=F.pad(part(TABLE, rank, size), (0, 0, 0, WORDS - each))
    ), (X,)


def head_cut(rank, size):
    return _head(rank, size, lambda y, each: gathered(y[:, :each].contiguous(), 1))


def wrong_head_padded(rank, size):
    return _head(rank, size, lambda y, each: gathered(y, 1)[:, :WORDS])


# Counts of tokens by expert, and the gradient of a balancing loss


def _balance(m, x, reduce):
    chances = (x @ m.router.T).softmax(-1)
    counts = (chances > 0.25).double().sum(0)
    total = 0
    for _ in range(2):
        total = total + ((reduce(counts) if reduce else counts) * chances.sum(0)).sum()
    return gradients(total, m.router)[0]


def balance():
    return Model(lambda m, x: _balance(m, x, None), router=ROUTER), (X,)


def _balance_ranks(rank, size, reduce):
    return Model(lambda m, x: all_reduce(_balance(m, x, reduce)), router=ROUTER), (part(X, rank, size),)


def balance_dp(rank, size):
    return _balance_ranks(rank, size, all_reduce)


def wrong_counts_overwritten(rank, size):
    def reduce(counts):
        dist.all_reduce(counts)
        return counts

    return _balance_ranks(rank, size, reduce)


# An expert for all tokens beside those that are chosen

GATES, EXPERTS = weight("gates", 2, WIDTH), torch.stack((GATE, UP))


def _mixture(m, x, experts, gates):
    shared = F.silu(x @ m.shared.T) @ m.down.T
    chances = (x @ m.gates.T).softmax(-1)
    return shared, sum(chances[:, g, None] * (F.relu(x @ e.T) @ e) for e, g in zip(experts, gates, strict=True))


def mixture():
    call = lambda m, x: sum(_mixture(m, x, m.experts, range(2)))  # noqa: E731
    return Model(call, shared=GATE, down=DOWN, gates=GATES, experts=EXPERTS), (X,)


def _mixture_ranks(rank, size, call):
    each = 2 // size
    mine = {"shared": part(GATE, rank, size), "down": part(DOWN, rank, size, 1), "experts": part(EXPERTS, rank, size)}
    places = range(rank * each, rank * each + each)
    return Model(lambda m, x: call(*_mixture(m, x, m.experts, places)), gates=GATES, **mine), (X,)


def mixture_ep(rank, size):
    return _mixture_ranks(rank, size, lambda shared, chosen: all_reduce(shared + chosen))


def wrong_shared_expert(rank, size):
    return _mixture_ranks(rank, size, lambda shared, chosen: shared + all_reduce(chosen))
