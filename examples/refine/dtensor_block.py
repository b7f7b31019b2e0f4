"""A Llama block whose shards are DTensors, with the gradients of its loss, against the same block on one rank:

    hecv refine dtensor_block.py:sequential dtensor_block.py:tensor_parallel --ranks 2

`tensor_parallel` and `sequence_parallel` are plans of `parallelize_module`; `sharded` gathers each parameter where it
is used and averages gradients over the ranks' parts of the batch (FSDP). Programs called `bug_*` are wrong in one place.

Parameters are distributed with `src_data_rank=None`, from what each rank has itself: a capture moves no data.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

BATCH, TOKENS, WIDTH, HEAD, INNER = 4, 8, 32, 8, 64


class Block(nn.Module):
    """Attention with rotary positions, then SwiGLU, each behind an RMSNorm and beside a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.gate, self.up = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(WIDTH, INNER, bias=False)
        self.down = nn.Linear(INNER, WIDTH, bias=False)
        self.attention_input, self.mlp_input = nn.Identity(), nn.Identity()  # where shards of the sequence are gathered
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            for name, p in self.named_parameters():
                p.normal_(1 if "norm" in name else 0, 0.3, generator=generator)

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        frequency = 10000.0 ** (-torch.arange(0, HEAD, 2).float() / HEAD)
        angle = torch.outer(torch.arange(TOKENS).float(), frequency)[:, None]
        a, b = x.chunk(2, -1)
        return torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.attention_input(self.norm1(x))
        q, k, v = (linear(h).unflatten(-1, (-1, HEAD)) for linear in (self.q, self.k, self.v))
        q, k, v = (t.transpose(1, 2) for t in (self.rotate(q), self.rotate(k), v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        h = self.mlp_input(self.norm2(x))
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Gathered(nn.Module):
    """A block whose parameters are shards, gathered for use; their gradients are averaged over the ranks."""

    def __init__(self, block: nn.Module, mesh: Any, reduction: str) -> None:
        super().__init__()
        self.inside, self.reduction = [block], reduction
        for name, p in block.named_parameters():
            shards = distribute_tensor(p.detach(), mesh, [Shard(0)], src_data_rank=None)
            self.register_parameter(name.replace(".", "_"), nn.Parameter(shards))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = {
            name: getattr(self, name.replace(".", "_"))
            .redistribute(placements=[Replicate()])
            .to_local(grad_placements=[Partial(self.reduction)])
            for name, _ in self.inside[0].named_parameters()
        }
        return torch.func.functional_call(self.inside[0], whole, (x,))


class Step(nn.Module):
    """The result of a block, and the gradients of its mean squared error; a rank has `parts` of them all."""

    def __init__(self, block: nn.Module, parts: int = 1) -> None:
        super().__init__()
        self.block, self.parts = block, parts

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> Any:
        y = self.block(x)
        y = y.to_local() if isinstance(y, DTensor) else y
        loss = ((y - target) ** 2).mean() / self.parts
        names, parameters = zip(*self.block.named_parameters(), strict=True)
        return {"y": y, "grad": dict(zip(names, torch.autograd.grad(loss, parameters), strict=True))}


def data() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, BATCH, TOKENS, WIDTH, generator=generator)
    return x[0], x[1]


def part(rank: int, size: int, dim: int) -> tuple[torch.Tensor, ...]:
    return tuple(t.chunk(size, dim)[rank].clone() for t in data())


COLUMNS = {name: ColwiseParallel() for name in ("q", "k", "v", "gate", "up")}
BY_TENSOR = {**COLUMNS, "o": RowwiseParallel(), "down": RowwiseParallel()}
GATHER = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),), use_local_output=True)
BY_SEQUENCE = {
    **COLUMNS,
    "o": RowwiseParallel(output_layouts=Shard(1)),
    "down": RowwiseParallel(output_layouts=Shard(1)),
    "norm1": SequenceParallel(use_local_output=True),
    "norm2": SequenceParallel(use_local_output=True),
    "attention_input": GATHER,
    "mlp_input": GATHER,
}


def parallel(size: int, plan: dict[str, Any]) -> nn.Module:
    return parallelize_module(Block(), init_device_mesh("cpu", (size,)), plan, src_data_rank=None)


def sequential():
    return Step(Block()), data()


def tensor_parallel(rank: int, size: int):
    return Step(parallel(size, BY_TENSOR)), data()


def sequence_parallel(rank: int, size: int):
    return Step(parallel(size, BY_SEQUENCE), size), part(rank, size, 1)


def sharded(rank: int, size: int):
    return Step(Gathered(Block(), init_device_mesh("cpu", (size,)), "avg")), part(rank, size, 0)


def bug_split_columns(rank: int, size: int):
    """The second product of the MLP is split by columns, as the first one, and its result is taken for a whole one."""
    plan = {**BY_TENSOR, "down": RowwiseParallel(output_layouts=Partial())}
    return Step(parallel(size, plan)), data()


def bug_mean_of_part(rank: int, size: int):
    """The loss of a rank is the mean over its part of the sequence: gradients are as many times too large as ranks."""
    return Step(parallel(size, BY_SEQUENCE)), part(rank, size, 1)


def bug_summed(rank: int, size: int):
    """Gradients of mean losses are added up, where they have to be averaged."""
    return Step(Gathered(Block(), init_device_mesh("cpu", (size,)), "sum")), part(rank, size, 0)
