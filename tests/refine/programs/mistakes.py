"""Small sequential programs and programs for one rank each; each `wrong_*` has one mistake that is easily made."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from layers import BIAS, NORM, SIZE, TOKENS, WIDTH, Model, O, Q, X, all_reduce, attended, heads, weight
from torch import nn

W = weight("w", WIDTH, WIDTH)
K, V = weight("k2", 2 * SIZE, WIDTH), weight("v2", 2 * SIZE, WIDTH)
ZEROS, ONES = torch.zeros(WIDTH, dtype=torch.float64), torch.ones(WIDTH, dtype=torch.float64)


def program(call, **parameters):
    return Model(call, **parameters), (X,)


def part(t, rank, size, dim=0):
    return t.chunk(size, dim)[rank]


def gathered(x, dim=0):
    return funcol.all_gather_tensor(x, dim, dist.group.WORLD)


def product():
    return program(lambda m, x: x @ m.w, w=W)


def rows(rank, size):
    return Model(lambda m, x: x @ m.w, w=W), (part(X, rank, size),)


def wrong_copy_on_rank_one(rank, size):
    return Model(lambda m, x: x @ m.w + (rank == 1), w=W), (part(X, rank // 2, 2),)


def wrong_gathered_dimension(rank, size):
    return program(lambda m, x: gathered(x @ m.w).reshape(TOKENS, WIDTH), w=part(W, rank, size, 1))


def wrong_swapped_shards(rank, size):
    return program(lambda m, x: gathered(x @ m.w, 1), w=part(W, size - 1 - rank, size, 1))


# Grouped heads: two of keys and values for four of queries


def grouped():
    def call(m, x):
        q, k, v = (heads(x @ w.T) for w in (m.q, m.k, m.v))
        return attended(q, k.repeat_interleave(2, 0), v.repeat_interleave(2, 0)) @ m.o.T

    return program(call, q=Q, k=K, v=V, o=O)


def _grouped(rank, size, group):
    def call(m, x):
        q, k, v = (heads(x @ w.T) for w in (m.q, m.k, m.v))
        return all_reduce(attended(q, k, v) @ m.o.T)

    mine = part(K, group, 2), part(V, group, 2)
    return program(call, q=part(Q, rank, size), k=mine[0], v=mine[1], o=part(O, rank, size, 1))


def grouped_replicated(rank, size):
    return _grouped(rank, size, rank // 2)


def wrong_grouped_heads(rank, size):
    return _grouped(rank, size, rank % 2)


def grouped_sharded(rank, size):
    def call(m, x):
        q, k, v = (heads(x @ w.T) for w in (m.q, m.k, m.v))
        return all_reduce(attended(q, k.repeat_interleave(2, 0), v.repeat_interleave(2, 0)) @ m.o.T)

    q, k, v = (part(t, rank, size) for t in (Q, K, V))
    return program(call, q=q, k=k, v=v, o=part(O, rank, size, 1))


# Losses of shards of the tokens, of which some do not count


class Loss(nn.Module):
    def __init__(self, call):
        super().__init__()
        self.w, self.call = nn.Parameter(W.clone()), call

    def forward(self, x, t):
        return self.call(x @ self.w, t)


SOME, ALL = torch.tensor([1, 2, 3, -100, 5, 6, 7, 0]), torch.tensor([1, 2, 3, 4, 5, 6, 7, 0])


def loss(targets=SOME):
    return Loss(F.cross_entropy), (X, targets)


def loss_of_all():
    return loss(ALL)


def _loss(rank, size, call, targets=SOME):
    return Loss(call), (part(X, rank, size), part(targets, rank, size))


def loss_over_counts(rank, size):
    def call(y, t):
        return all_reduce(F.cross_entropy(y, t, reduction="sum")) / all_reduce((t != -100).sum())

    return _loss(rank, size, call)


def _mean_of_means(y, t):
    return funcol.all_reduce(F.cross_entropy(y, t), "avg", dist.group.WORLD)


def wrong_loss_mean_of_means(rank, size):
    return _loss(rank, size, _mean_of_means)


def wrong_loss_mean_that_is_equal_here(rank, size):
    return _loss(rank, size, _mean_of_means, ALL)


def wrong_loss_averaged_twice(rank, size):
    return _loss(rank, size, lambda y, t: _mean_of_means(y, t) / size, ALL)


# The gradient of a norm's weight under sequence parallelism


def _norm_gradient(m, x):
    y = F.layer_norm(x, (WIDTH,), m.norm, m.bias) @ m.w
    return torch.autograd.grad(y.pow(2).sum(), m.norm)[0]


def norm_gradient():
    return program(_norm_gradient, norm=NORM, bias=BIAS, w=W)


def norm_gradient_reduced(rank, size):
    call = lambda m, x: all_reduce(_norm_gradient(m, x))  # noqa: E731
    return Model(call, norm=NORM, bias=BIAS, w=W), (part(X, rank, size),)


def wrong_norm_gradient(rank, size):
    return Model(_norm_gradient, norm=NORM, bias=BIAS, w=W), (part(X, rank, size),)


# Seven tokens on two ranks: the second has a row of padding


def centred():
    return Model(lambda m, x: (x - x.mean(0)) @ m.w, w=W), (X[:7],)


def _centred(rank, size, call):
    padded = torch.cat([X[:7], X.new_zeros(1, WIDTH)])
    return Model(lambda m, x: call(gathered(x)) @ m.w, w=W), (part(padded, rank, size),)


def centred_slice(rank, size):
    return _centred(rank, size, lambda y: y[:7] - y[:7].mean(0))


def wrong_centred_slice(rank, size):
    return _centred(rank, size, lambda y: y[1:] - y[1:].mean(0))


def centred_zero_padding(rank, size):
    return _centred(rank, size, lambda y: (y - y.sum(0) / 7)[:7])


# Values that coincide


def product_and_zeros():
    return program(lambda m, x: x @ m.w + ZEROS, w=W)


def wrong_bias_that_is_zero(rank, size):
    return biased()


def biased():
    return program(lambda m, x: x @ m.w + m.bias, w=W, bias=ZEROS)


def wrong_bias_left_out(rank, size):
    return product_and_zeros()


def two_scales():
    return program(lambda m, x: (x * m.a) @ m.w * m.b, w=W, a=ONES, b=ONES)


def wrong_scales_swapped(rank, size):
    return program(lambda m, x: (x * m.b) @ m.w * m.a, w=W, a=ONES, b=ONES)


def nothing():
    return program(lambda m, x: x @ m.w / 3 * 3 - x @ m.w, w=W)


def nothing_otherwise(rank, size):
    return program(lambda m, x: x @ m.w / 7 * 7 - x @ m.w, w=W)


# Changes in place


def _step(m, x, reduce=False):
    gradient = torch.autograd.grad((x @ m.w).pow(2).sum(), m.w)[0]
    if reduce:
        dist.all_reduce(gradient)
    with torch.no_grad():
        m.w.add_(gradient, alpha=-0.01)


def step():
    return program(_step, w=W)


def step_reduced(rank, size):
    return Model(lambda m, x: _step(m, x, True), w=W), (part(X, rank, size),)


def wrong_step_of_shard(rank, size):
    return Model(_step, w=W), (part(X, rank, size),)


def _assigned(rate):
    def call(m, x):
        m.w.data = m.w.data - rate * torch.autograd.grad((x @ m.w).pow(2).sum(), m.w)[0]

    return program(call, w=W)


def assigned_step():
    return _assigned(0.01)


def wrong_assigned_step(rank, size):
    return _assigned(0.02)


def wrong_weight_changed(rank, size):
    def call(m, x):
        y = x @ m.w
        with torch.no_grad():
            m.w.mul_(2)
        return y

    return program(call, w=W)


def batch_norm(momentum=0.1):
    return nn.BatchNorm1d(WIDTH, momentum=momentum, dtype=torch.float64), (X,)


def batch_norm_again(rank, size):
    return batch_norm()


def wrong_batch_norm_momentum(rank, size):
    return batch_norm(0.5)


def wrong_batch_norm_of_shards(rank, size):
    return batch_norm()[0], (part(X, rank, size),)


def number(value=3):
    return program(lambda m, x: {"out": x @ m.w, "steps": value}, w=W)


def number_again(rank, size):
    return number()


def wrong_number(rank, size):
    return number(4)


def silent():
    return program(lambda m, x: None, w=W)


def silent_again(rank, size):
    return silent()


# Groups and collectives


def sums():
    return program(lambda m, x: (2 * (x @ m.w), 2 * x), w=W)


def _two_groups(rank, size, crossed):
    groups = [dist.new_group([0, 1]), dist.new_group([0, 1])]
    if crossed and rank:
        groups.reverse()

    def call(m, x):
        made = x @ m.w, x.clone()
        for t, group in zip(made, groups, strict=True):
            dist.all_reduce(t, group=group)
        return made

    return program(call, w=W)


def sums_over_two_groups(rank, size):
    return _two_groups(rank, size, False)


def wrong_groups_crossed(rank, size):
    return _two_groups(rank, size, True)


def _broadcast(rank, source):
    groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]

    def call(m, x):
        y = x @ m.w * (rank % 2)
        dist.broadcast(y, group_src=source, group=groups[rank // 2])
        return y

    return program(call, w=W)


def broadcast_in_groups(rank, size):
    return _broadcast(rank, 1)


def wrong_broadcast_source(rank, size):
    return _broadcast(rank, 0)


def _exchanged(rank, size, swapped):
    sizes = [[3, 1], [2, 2]]

    def call(m, x):
        sent, taken = sizes[rank], [sizes[k][rank] for k in range(size)]
        held = x.new_empty(sum(taken), WIDTH)
        dist.all_to_all_single(held, x, taken, sent)
        back = x.new_empty(TOKENS // size, WIDTH)
        dist.all_to_all_single(back, held @ m.w, sent[::-1] if swapped else sent, taken)
        return back

    return Model(call, w=W), (part(X, rank, size),)


def split_exchange(rank, size):
    return _exchanged(rank, size, False)


def wrong_split_exchange(rank, size):
    return _exchanged(rank, size, True)


def _gathered_on(rank, size, call):
    def whole(m, x):
        y = x @ m.w
        found = [torch.empty_like(y) for _ in range(size)]
        call(found, y)
        return torch.cat(found)

    return Model(whole, w=W), (part(X, rank, size),)


def wrong_gather_targets(rank, size):
    return _gathered_on(rank, size, lambda found, y: dist.gather(y, found, dst=rank))


def wrong_gather_and_all_gather(rank, size):
    if rank:
        return _gathered_on(rank, size, dist.all_gather)
    return _gathered_on(rank, size, lambda found, y: dist.gather(y, found, dst=0))


def wrong_types(rank, size):
    def call(m, x):
        y = x @ m.w / 2
        y = y.float() if rank else y
        dist.all_reduce(y)
        return y

    return program(call, w=W)


# What has no meaning here


def random_numbers(rank, size):
    return program(lambda m, x: F.dropout(x @ m.w, 0.5, True), w=W)


def uneven_parts(rank, size):
    def call(m, x):
        parts = list((x @ m.w).split([5, 3]))
        mine = torch.empty_like(parts[rank])
        dist.reduce_scatter(mine, parts)
        return mine / 2

    return program(call, w=W)


def bits(rank, size):
    def call(m, x):
        signs = (x > 0).long()
        dist.all_reduce(signs, op=dist.ReduceOp.BAND)
        return x @ m.w * signs

    return program(call, w=W)


def masks(rank, size):
    def call(m, x):
        signs = x > 0
        dist.all_reduce(signs)
        return torch.where(signs, x @ m.w, 0.0)

    return program(call, w=W)


HELD = [ZEROS.clone()]


def constant_changed(rank, size):
    return program(lambda m, x: x @ m.w + HELD[0].add_(1), w=W)


# Tensors whose sizes change in place: their elements stay, and other names of them keep their sizes


def turned_product():
    return Model(lambda m, x: (x @ m.w, x), w=W), (X,)


def _turned_in_place(turn):
    def call(m, x):
        y = x * 1
        other = y.detach()
        made = turn(y, m.w)
        return made, other

    return program(call, w=W)


def turned_in_place(rank, size):
    return _turned_in_place(lambda y, w: y.t_().T @ w)


def squeezed_in_place(rank, size):
    return _turned_in_place(lambda y, w: (y.unsqueeze_(0) @ w).squeeze_(0))


def transposed_in_place(rank, size):
    return _turned_in_place(lambda y, w: y.transpose_(0, 1).transpose_(0, 1) @ w)


def wrong_turned_in_place(rank, size):
    """The second result is turned as well."""

    def call(m, x):
        y = x * 1
        made = x @ m.w
        return made, y.t_()

    return program(call, w=W)
