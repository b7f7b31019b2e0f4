"""Transformer blocks of three models (GPT, Llama, Qwen2), and what each rank computes of them: tensor, sequence,
vocabulary, expert, context, data and pipeline parallelism and their combinations, forward and backward."""

from __future__ import annotations

import math

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from layers import (
    HEADS,
    INNER,
    SIZE,
    TOKENS,
    WIDTH,
    WORDS,
    Copied,
    Model,
    Summed,
    X,
    all_reduce,
    attended,
    heads,
    rms,
    turned,
    weight,
)
from torch import nn

GROUPS = 2
MODELS = ("gpt", "llama", "qwen")


def parameters(model):
    """The parameters of a block, and the dimension in which tensor parallelism splits each; None where it does not."""
    shared = GROUPS if model != "gpt" else HEADS
    sizes = {"q": (HEADS * SIZE, WIDTH), "k": (shared * SIZE, WIDTH), "v": (shared * SIZE, WIDTH)}
    found = {name: (weight(f"{model}.{name}", *shape), 0) for name, shape in sizes.items()}
    found["o"] = weight(f"{model}.o", WIDTH, HEADS * SIZE), 1
    found["up"], found["down"] = (weight(f"{model}.up", INNER, WIDTH), 0), (weight(f"{model}.down", WIDTH, INNER), 1)
    found["n1"], found["n2"] = ((1 + weight(f"{model}.{n}", WIDTH) / 4, None) for n in ("n1", "n2"))
    if model != "gpt":
        found["gate"] = weight(f"{model}.gate", INNER, WIDTH), 0
    biased = {"gpt": ("q", "k", "v", "up", "o", "down", "n1", "n2"), "qwen": ("q", "k", "v")}.get(model, ())
    for name in biased:
        rows = found[name][0].shape[0]
        found[f"{name}_bias"] = weight(f"{model}.{name}.bias", rows), 0 if name in ("q", "k", "v", "up") else None
    return found


class Whole:
    """One rank alone. What a block does with its tensors at the borders of parallel regions."""

    def enter(self, x):
        """Into a region whose weights are sharded."""
        return x

    def leave(self, x):
        """The sum of what ranks computed."""
        return x


class Tensor(Whole):
    """Tensor parallelism."""

    def enter(self, x):
        return Copied.apply(x)

    def leave(self, x):
        return Summed.apply(x)


class Sequence(Whole):
    """Tensor parallelism, with activations sharded by tokens between."""

    def enter(self, x):
        return Gathered.apply(x)

    def leave(self, x):
        return Scattered.apply(x)


class Grouped(Whole):
    """Tensor parallelism in a group of the ranks, forward."""

    def __init__(self, group):
        self.group = group

    def leave(self, x):
        return funcol.all_reduce(x, "sum", self.group)


def gather(x):
    return funcol.all_gather_tensor(x, 0, dist.group.WORLD)


def scatter(x):
    return funcol.reduce_scatter_tensor(x, "sum", 0, dist.group.WORLD)


class Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return gather(x)

    @staticmethod
    def backward(ctx, gradient):
        return scatter(gradient)


class Scattered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return scatter(x)

    @staticmethod
    def backward(ctx, gradient):
        return gather(gradient)


def block(m, x, model, at):
    """Attention and an MLP, each behind a norm."""
    bias = lambda name: getattr(m, f"{name}_bias", None)  # noqa: E731
    normed = lambda t, n: F.layer_norm(t, (WIDTH,), getattr(m, n), bias(n)) if model == "gpt" else rms(t, getattr(m, n))  # noqa: E731
    plus = lambda t, name: t if bias(name) is None else t + bias(name)  # noqa: E731
    y = at.enter(normed(x, "n1"))
    q, k, v = (heads(F.linear(y, getattr(m, n), bias(n))) for n in "qkv")
    if model != "gpt":
        q, k = turned(q), turned(k)
    each = q.shape[0] // k.shape[0]
    made = attended(q, k.repeat_interleave(each, 0), v.repeat_interleave(each, 0))
    x = x + plus(at.leave(F.linear(made, m.o)), "o")
    y = at.enter(normed(x, "n2"))
    up = F.linear(y, m.up, bias("up"))
    made = F.gelu(up, approximate="tanh") if model == "gpt" else F.silu(F.linear(y, m.gate)) * up
    return x + plus(at.leave(F.linear(made, m.down)), "down")


def whole(model):
    held = {name: t for name, (t, _) in parameters(model).items()}
    return Model(lambda m, x: block(m, x, model, Whole()), **held), (X,)


def sharded(model, rank, size):
    return {n: t if d is None else t.chunk(size, d)[rank] for n, (t, d) in parameters(model).items()}


def rank_of(model, rank, size, at, x=X, change=None):
    held = sharded(model, rank, size)
    if change:
        change(held)
    return Model(lambda m, x: block(m, x, model, at), **held), (x,)


def gpt():
    return whole("gpt")


def llama():
    return whole("llama")


def qwen():
    return whole("qwen")


def gpt_tp(rank, size):
    return rank_of("gpt", rank, size, Tensor())


def llama_tp(rank, size):
    return rank_of("llama", rank, size, Tensor())


def qwen_tp(rank, size):
    return rank_of("qwen", rank, size, Tensor())


def gpt_sp(rank, size):
    return rank_of("gpt", rank, size, Sequence(), X.chunk(size)[rank])


def llama_sp(rank, size):
    return rank_of("llama", rank, size, Sequence(), X.chunk(size)[rank])


def qwen_sp(rank, size):
    return rank_of("qwen", rank, size, Sequence(), X.chunk(size)[rank])


class Biased(Tensor):
    """The bias of a sharded region is added before the sum."""

    def leave(self, x):
        return super().leave(x + self.bias)


def wrong_gpt_bias_before_sum(rank, size):
    at = Biased()

    def change(held):
        at.bias = held.pop("o_bias")
        held.pop("down_bias")

    return rank_of("gpt", rank, size, at, change=change)


def wrong_llama_heads(rank, size):
    def change(held):
        held["k"] = parameters("llama")["k"][0].chunk(size)[size - 1 - rank]

    return rank_of("llama", rank, size, Tensor(), change=change)


def wrong_qwen_bias_of_first_rank(rank, size):
    def change(held):
        held["q_bias"] = parameters("qwen")["q_bias"][0].chunk(size)[0]

    return rank_of("qwen", rank, size, Tensor(), change=change)


class Shuffled(Sequence):
    """Tokens come back in another order."""

    def leave(self, x):
        return Scattered.apply(x.roll(TOKENS // 2, 0))


def wrong_llama_sp_order(rank, size):
    return rank_of("llama", rank, size, Shuffled(), X.chunk(size)[rank])


# Backward


def backward(model, at, held, x, replicated=None):
    """The loss and all gradients; those of parameters that each rank has are summed by `replicated`."""

    everywhere = [name for name, (_, dim) in parameters(model).items() if dim is None]

    def call(m, x):
        x = x.detach().requires_grad_()
        names = [n for n, _ in m.named_parameters()]
        loss = block(m, x, model, at).pow(2).sum()
        found = dict(zip(["x", *names], torch.autograd.grad(loss, [x, *m.parameters()]), strict=True))
        return found | {name: replicated(found[name]) for name in everywhere if replicated}

    return Model(call, **held), (x,)


def llama_backward():
    return backward("llama", Whole(), {n: t for n, (t, _) in parameters("llama").items()}, X)


def llama_backward_tp(rank, size):
    return backward("llama", Tensor(), sharded("llama", rank, size), X)


def llama_backward_sp(rank, size):
    return backward("llama", Sequence(), sharded("llama", rank, size), X.chunk(size)[rank], all_reduce)


def wrong_llama_backward_sp(rank, size):
    return backward("llama", Sequence(), sharded("llama", rank, size), X.chunk(size)[rank])


class Forgotten(Tensor):
    """The gradient behind a sharded region is not summed."""

    def enter(self, x):
        return x.clone()


def wrong_llama_backward_tp(rank, size):
    return backward("llama", Forgotten(), sharded("llama", rank, size), X)


# The loss over a sharded vocabulary

TABLE, TARGETS = weight("words", WORDS, WIDTH), torch.arange(TOKENS) * 3 % WORDS


class Targets(nn.Module):
    def __init__(self, call, table):
        super().__init__()
        self.table, self.call = nn.Parameter(table.clone()), call

    def forward(self, x, targets):
        return self.call(x @ self.table.T, targets)


def vocabulary_loss():
    return Targets(lambda y, t: -y.log_softmax(-1).gather(1, t[:, None]).mean(), TABLE), (X, TARGETS)


def _vocabulary(rank, size, first):
    each = WORDS // size

    def call(y, t):
        top = funcol.all_reduce(y.amax(-1), "max", dist.group.WORLD)
        total = all_reduce((y - top[:, None]).exp().sum(-1))
        local = t - first
        inside = (local >= 0) & (local < each)
        mine = y.gather(1, local.clamp(0, each - 1)[:, None])[:, 0]
        return (total.log() + top - all_reduce(torch.where(inside, mine, 0.0))).mean()

    return Targets(call, TABLE.chunk(size)[rank]), (X, TARGETS)


def vocabulary_loss_vp(rank, size):
    return _vocabulary(rank, size, rank * WORDS // size)


def wrong_vocabulary_offset(rank, size):
    return _vocabulary(rank, size, rank * (WORDS // size - 1))


# Ring attention: keys and values go from rank to rank


def attention():
    def call(m, x):
        q, k, v = (x @ w.T for w in (m.q, m.k, m.v))
        return (q @ k.T / math.sqrt(SIZE)).softmax(-1) @ v

    return Model(call, **_ring_weights()), (X,)


def _ring_weights():
    return {n: weight(f"ring.{n}", SIZE, WIDTH) for n in "qkv"}


def _ring(rank, size, rescaled):
    def call(m, x):
        q, k, v = (x @ w.T for w in (m.q, m.k, m.v))
        top = total = out = None
        for step in range(size):
            score = q @ k.T / math.sqrt(SIZE)
            here = score.amax(-1, keepdim=True)
            new = here if top is None else torch.maximum(top, here)
            p, keep = (score - new).exp(), 1 if top is None or not rescaled else (top - new).exp()
            total = p.sum(-1, keepdim=True) + (0 if total is None else total * keep)
            out = p @ v + (0 if out is None else out * keep)
            top = new
            if step < size - 1:
                k, v = (_passed_on(t, rank, size) for t in (k, v))
        return out / total

    return Model(call, **_ring_weights()), (X.chunk(size)[rank],)


def _passed_on(t, rank, size):
    held = torch.empty_like(t)
    dist.send(t.contiguous(), (rank + 1) % size)
    dist.recv(held, (rank - 1) % size)
    return held


def attention_ring(rank, size):
    return _ring(rank, size, True)


def wrong_ring_scale(rank, size):
    return _ring(rank, size, False)


# Meshes of four ranks: two groups of two


def _mesh(rank):
    """The group of tensor parallelism and that of data parallelism."""
    tensor = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    data = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    return tensor[rank // 2], data[rank % 2]


def _mlp(m, x, summed):
    return x + summed((F.silu(x @ m.gate.T) * (x @ m.up.T)) @ m.down.T)


def _held(rank, size, names=("gate", "up", "down"), number=""):
    found = {}
    for n in names:
        shape, dim = ((WIDTH, INNER), 1) if n == "down" else ((INNER, WIDTH), 0)
        found[f"{n}{number}"] = weight(f"{n}{number}", *shape).chunk(size, dim)[rank]
    return found


def mean_gradients():
    def call(m, x):
        loss = _mlp(m, x, lambda y: y).pow(2).mean()
        return dict(zip(("gate", "down"), torch.autograd.grad(loss, (m.gate, m.down)), strict=True))

    return Model(call, **_held(0, 1)), (X,)


def _tensor_and_data(rank, size, scale):
    tensor, data = _mesh(rank)

    class Reduced(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return funcol.all_reduce(x, "sum", tensor)

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    def call(m, x):
        loss = _mlp(m, x, Reduced.apply).pow(2).mean()
        found = torch.autograd.grad(loss, (m.gate, m.down))
        return {n: funcol.all_reduce(g, scale, data) for n, g in zip(("gate", "down"), found, strict=True)}

    return Model(call, **_held(rank % 2, 2)), (X.chunk(2)[rank // 2],)


def mean_gradients_tp_dp(rank, size):
    return _tensor_and_data(rank, size, "avg")


def wrong_gradients_summed(rank, size):
    return _tensor_and_data(rank, size, "sum")


def two_blocks():
    def call(m, x):
        x = x + (F.silu(x @ m.gate0.T)) @ m.down0.T
        return x + (F.silu(x @ m.gate1.T)) @ m.down1.T

    held = {**_held(0, 1, ("gate", "down"), 0), **_held(0, 1, ("gate", "down"), 1)}
    return Model(call, **held), (X,)


def _stages(rank, size, crossed):
    tensor, _ = _mesh(rank)
    stage, place = rank // 2, rank % 2

    def layer(m, x):
        gate, down = (getattr(m, f"{n}{stage}") for n in ("gate", "down"))
        return x + funcol.all_reduce(F.silu(x @ gate.T) @ down.T, "sum", tensor)

    def first(m, x):
        for piece in x.chunk(2):
            dist.send(layer(m, piece), rank + 2)
        return x.new_zeros(1)

    def second(m, x):
        found = []
        for _ in range(2):
            held = x.new_empty(TOKENS // 2, WIDTH)
            dist.recv(held, rank - 2)
            found.append(layer(m, held))
        return torch.cat(found[::-1] if crossed else found)

    return Model(second if stage else first, **_held(place, 2, ("gate", "down"), stage)), (X,)


def two_blocks_tp_pp(rank, size):
    return _stages(rank, size, False)


def wrong_micro_batches_swapped(rank, size):
    return _stages(rank, size, True)


# Experts on ranks: tokens go to fixed places, weighted by a router

EXPERTS, CHOICE = torch.stack([weight(f"expert{e}", WIDTH, WIDTH) for e in range(4)]), weight("choice", 4, WIDTH)


def experts():
    """Expert e takes the tokens of its quarter, each weighted by how much the router gives it."""

    def call(m, x):
        chances = (x @ m.choice.T).softmax(-1)
        each = TOKENS // 4
        made = [
            chances[e * each : e * each + each, e, None] * F.gelu(x[e * each : e * each + each] @ m.experts[e].T)
            for e in range(4)
        ]
        return x + torch.cat(made)

    return Model(call, experts=EXPERTS, choice=CHOICE), (X,)


def _experts(rank, size, weighted_first):
    """Tokens are sharded, and come to the rank of their expert by an exchange of equal parts."""
    mine, each = 4 // size, TOKENS // 4

    def call(m, x):
        chances = (x @ m.choice.T).softmax(-1)
        parts = each // size
        sent = funcol.all_to_all_single(x, [mine * parts] * size, [mine * parts] * size, dist.group.WORLD)
        rows = sent.view(size, mine, parts, WIDTH).transpose(0, 1).reshape(mine, each, WIDTH)
        made = torch.stack([F.gelu(r @ e.T) for r, e in zip(rows, m.experts, strict=True)])
        flat = made.view(mine, size, parts, WIDTH).transpose(0, 1).reshape(-1, WIDTH)
        back = funcol.all_to_all_single(flat, [mine * parts] * size, [mine * parts] * size, dist.group.WORLD)
        place = torch.arange(4).repeat_interleave(parts)
        chosen = chances[torch.arange(4 * parts), place if weighted_first else place.flip(0)]
        return x + chosen[:, None] * back

    own = torch.cat([piece.chunk(size)[rank] for piece in X.chunk(4)])
    return Model(call, experts=EXPERTS.chunk(size)[rank], choice=CHOICE), (own,)


def experts_ep(rank, size):
    return _experts(rank, size, True)


def wrong_experts_weights(rank, size):
    return _experts(rank, size, False)


# Layers that repeat, of which the last one differs

DEPTH = 3


def _stack(rank, size, last=None):
    def call(m, x):
        for number in range(DEPTH):
            gate, down = (getattr(m, f"{n}{number}") for n in ("gate", "down"))
            odd = last if number == DEPTH - 1 else None
            y = x * 2 if odd == "factor" else x
            y = y.pow(3 if odd == "power" else 2) @ gate.T
            y = (F.relu(y) if odd == "op" else F.silu(y)) @ down.T
            y = y.flip(0) if odd == "order" else y
            x = x + (y if odd == "reduce" or size == 1 else all_reduce(y))
        return x

    held = {}
    for number in range(DEPTH):
        held |= _held(size - 1 - rank if last == "shard" and number == DEPTH - 1 else rank, size, ("gate",), number)
        held |= _held(rank, size, ("down",), number)
    return Model(call, **held), (X,)


def stack():
    return _stack(0, 1)


def stack_tp(rank, size):
    return _stack(rank, size)


def wrong_stack_factor(rank, size):
    return _stack(rank, size, "factor")


def wrong_stack_power(rank, size):
    return _stack(rank, size, "power")


def wrong_stack_op(rank, size):
    return _stack(rank, size, "op")


def wrong_stack_order(rank, size):
    return _stack(rank, size, "order")


def wrong_stack_reduce(rank, size):
    return _stack(rank, size, "reduce")


def wrong_stack_shard(rank, size):
    return _stack(rank, size, "shard")


# Layers that repeat, of which the last one takes a buffer for another one of the same numbers


class Scaled(nn.Module):
    def __init__(self, swapped):
        super().__init__()
        self.swapped = swapped
        for number in range(2):
            setattr(self, f"w{number}", nn.Parameter(weight(f"scaled{number}", WIDTH, WIDTH)))
            for name in "ab":
                self.register_buffer(f"{name}{number}", torch.ones(WIDTH, dtype=torch.float64))

    def forward(self, x):
        for number in range(2):
            a, b = (getattr(self, f"{n}{number}") for n in ("ba" if self.swapped and number else "ab"))
            x = ((x * a) @ getattr(self, f"w{number}")).tanh() * b
        return x


def scaled():
    return Scaled(False), (X,)


def scaled_again(rank, size):
    return Scaled(False), (X,)


def wrong_scaled_swapped(rank, size):
    return Scaled(True), (X,)
