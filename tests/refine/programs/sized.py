"""Programs whose sizes are symbolic, each with ranks that are right for all of them, and with ranks that are right for
the example's sizes alone."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from layers import Copied, Summed, weight
from torch import nn
from torch.export import Dim

WIDTH, HEADS, SIZE, INNER, EXAMPLE, LONGEST = 8, 4, 2, 8, 6, 16


def given(most=LONGEST):
    x = torch.randn(2, EXAMPLE, WIDTH, generator=torch.Generator().manual_seed(0))
    return (x,), {"x": {0: Dim("batch", max=12), 1: Dim("tokens", max=most)}}


class Block(nn.Module):
    """A transformer block, of which a rank has some heads and some rows of the feed-forward layer."""

    def __init__(self, rank=0, world=1, variant=""):
        super().__init__()
        self.world, self.heads, self.variant = world, HEADS // world, variant

        def part(name, dim, *shape):
            return nn.Parameter(weight(f"sized.{name}", *shape).chunk(world, dim)[rank].contiguous())

        self.q, self.k, self.v = (part(n, 0, HEADS * SIZE, WIDTH) for n in "qkv")
        self.o, self.up = part("o", 1, WIDTH, HEADS * SIZE), part("up", 0, INNER, WIDTH)
        self.down = part("down", 1, WIDTH, INNER)
        self.norm = nn.Parameter(1 + weight("sized.norm", WIDTH) / 4)
        self.register_buffer("table", weight("sized.table", 12, WIDTH))

    def enter(self, x):
        return Copied.apply(x) if self.world > 1 else x

    def leave(self, x):
        return Summed.apply(x) if self.world > 1 else x

    def forward(self, x):
        batch, tokens, _ = x.shape
        if self.variant == "table":
            x = x + F.embedding(torch.arange(tokens), self.table)
        h = self.enter(F.rms_norm(x, (WIDTH,), self.norm))
        shape = (batch, EXAMPLE if self.variant == "reshape" else tokens, self.heads, SIZE)
        q, k, v = (F.linear(h, p).view(shape).transpose(1, 2) for p in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.leave(F.linear(y, self.o))
        x = x + self.leave(F.linear(F.gelu(F.linear(self.enter(x), self.up)), self.down))
        if self.variant == "mean":
            x = x - x.sum(1, keepdim=True) / EXAMPLE
        elif self.variant == "mask":
            x = torch.where(torch.arange(tokens)[:, None] < EXAMPLE, x, 0)
        elif self.variant == "added":
            x = x + torch.arange(EXAMPLE)[:, None]
        return x


def block():
    return Block(), *given()


def block_ranks(rank, world):
    return Block(rank, world), *given()


class Averaged(Block):
    def forward(self, x):
        y = super().forward(x)
        return y - y.mean(1, keepdim=True)


def averaged():
    return Averaged(), *given()


def averaged_ranks(rank, world):
    return Averaged(rank, world), *given()


def averaged_by_number(rank, world):
    return Block(rank, world, "mean"), *given()


def masked_by_number(rank, world):
    return Block(rank, world, "mask"), *given()


def reshaped_by_number(rank, world):
    return Block(rank, world, "reshape"), *given()


def of_one_length(rank, world):
    return Block(rank, world, "added"), *given()


def short_table():
    return Block(variant="table"), *given(LONGEST)


def short_table_ranks(rank, world):
    return Block(rank, world, "table"), *given(LONGEST)


def long_table():
    return Block(variant="table"), *given(12)


def long_table_ranks(rank, world):
    return Block(rank, world, "table"), *given(12)


def other_range(rank, world):
    return Block(rank, world), *given(LONGEST - 1)


class Layer(nn.Module):
    """A feed-forward layer, of which a rank has some rows, and tokens between."""

    def __init__(self, rank=0, world=1, offset="own"):
        super().__init__()
        self.rank, self.world, self.offset = rank, world, offset
        self.up = nn.Parameter(weight("sized.up", INNER, WIDTH).chunk(world, 0)[rank].contiguous())
        self.down = nn.Parameter(weight("sized.down", WIDTH, INNER).chunk(world, 1)[rank].contiguous())

    def forward(self, x):
        tokens = x.shape[1]
        start = {"own": self.rank * tokens, "example": self.rank * 3, "none": 0}[self.offset]
        h = x * (torch.arange(tokens)[:, None] + start)
        if self.world > 1:
            h = funcol.all_gather_tensor(h, 1, dist.group.WORLD)
        h = F.linear(F.silu(F.linear(h, self.up)), self.down)
        return x + (funcol.reduce_scatter_tensor(h, "sum", 1, dist.group.WORLD) if self.world > 1 else h)


def parted(world=2):
    """The tokens of all ranks, as many of each."""
    x = torch.randn(2, 3 * world, WIDTH, generator=torch.Generator().manual_seed(0))
    return (x,), {"x": {0: Dim("batch", max=12), 1: world * Dim("part", max=9)}}


def layer():
    return Layer(), *parted()


def layer_of_four():
    return Layer(), *parted(4)


def own_tokens(rank, world, offset="own", name="part"):
    (x,), _ = parted(world)
    part = x.chunk(world, 1)[rank].contiguous()
    return Layer(rank, world, offset), (part,), {"x": {0: Dim("batch", max=12), 1: Dim(name, max=9)}}


def start_of_example(rank, world):
    return own_tokens(rank, world, "example")


def start_of_none(rank, world):
    return own_tokens(rank, world, "none")


def other_name(rank, world):
    return own_tokens(rank, world, name="own")


class Feed(nn.Module):
    """A feed-forward layer, of which a rank has some rows."""

    def __init__(self, rank=0, world=1, reduced=True):
        super().__init__()
        self.world, self.reduced = world, reduced
        self.up = nn.Parameter(weight("sized.up", INNER, WIDTH).chunk(world, 0)[rank].contiguous())
        self.down = nn.Parameter(weight("sized.down", WIDTH, INNER).chunk(world, 1)[rank].contiguous())
        self.norm = nn.Parameter(1 + weight("sized.norm", WIDTH) / 4)

    def forward(self, x):
        h = F.layer_norm(x, (WIDTH,), self.norm)
        h = Copied.apply(h) if self.world > 1 and self.reduced else h
        h = F.linear(F.gelu(F.linear(h, self.up)), self.down)
        return x + (Summed.apply(h) if self.world > 1 else h)


def returns_a_size():
    return (lambda x: (x, x.shape[1])), *given()


def returns_a_size_ranks(rank, world):
    return returns_a_size()


class Trained(Feed):
    """The loss and all gradients of a layer."""

    def forward(self, x):
        names = dict(self.named_parameters())
        loss = super().forward(x).square().mean()
        gradients = torch.autograd.grad(loss, list(names.values()))
        return {"loss": loss, **{f"d.{n}": g for n, g in zip(names, gradients, strict=True)}}


def gradients():
    return Trained(), *given()


def gradients_ranks(rank, world):
    return Trained(rank, world), *given()


def gradients_not_reduced(rank, world):
    return Trained(rank, world, False), *given()


LONG = weight("sized.long", 100, WIDTH)


def table_of_most():
    return (lambda x: x + F.embedding(torch.arange(x.shape[1]), LONG)), *given(128)


def table_of_most_ranks(rank, world):
    return table_of_most()


def doubled():
    return (lambda x: x * 2), *given(128)


def doubled_up_to(rank, world):
    """Twice as much, at all lengths that are run."""
    return (lambda x: torch.where(torch.arange(x.shape[1])[:, None] < 70, x * 2, 0)), *given(128)


def doubled_by_quotient(rank, world):
    return (lambda x: x * 2 * (x.shape[1] - 100) / (x.shape[1] - 100)), *given(128)


def flat_sum():
    return (lambda x: x.reshape(-1, WIDTH).sum(0)), *given()


def flat_sum_of_exchanged(rank, world):
    return (lambda x: x.transpose(0, 1).reshape(-1, WIDTH).sum(0)), *given()


def flattened():
    return (lambda x: x.reshape(-1, WIDTH) * 2), *given()


def flattened_exchanged(rank, world):
    return (lambda x: x.transpose(0, 1).reshape(-1, WIDTH) * 2), *given()
