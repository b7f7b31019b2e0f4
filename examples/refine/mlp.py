"""A gated MLP: as one program, and as two or more ranks compute it, with the columns of the first products and the rows
of the last one sharded (Shoeybi et al., Megatron-LM, 2019). `unscaled` averages what should be summed."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, INNER = 6, 8, 16


def weight(seed: int, *shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(seed)))


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up = weight(1, INNER, WIDTH), weight(2, INNER, WIDTH)
        self.down = weight(3, WIDTH, INNER)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + F.linear(F.silu(F.linear(x, self.gate)) * F.linear(x, self.up), self.down)


class Sharded(Mlp):
    def __init__(self, rank: int, size: int, reduction: dist.ReduceOp) -> None:
        super().__init__()
        self.reduction = reduction
        self.gate, self.up = (nn.Parameter(w.chunk(size)[rank].clone()) for w in (self.gate, self.up))
        self.down = nn.Parameter(self.down.chunk(size, 1)[rank].clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        part = F.linear(F.silu(F.linear(x, self.gate)) * F.linear(x, self.up), self.down)
        dist.all_reduce(part, self.reduction)
        return x + part


def arguments() -> tuple[torch.Tensor]:
    return (weight(4, TOKENS, WIDTH).detach(),)


def sequential():
    return Mlp(), arguments()


def ranks(rank: int, size: int):
    return Sharded(rank, size, dist.ReduceOp.SUM), arguments()


def unscaled(rank: int, size: int):
    return Sharded(rank, size, dist.ReduceOp.AVG), arguments()
