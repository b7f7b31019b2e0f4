"""Causal attention over sequences of any length up to 4096: step by step, fused, and with a mask that shows each
position the next one.

hecv models examples/models/any_length.py:stepwise examples/models/any_length.py:fused      # equivalent
hecv models examples/models/any_length.py:stepwise examples/models/any_length.py:leaking    # not equivalent
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS = 16, 4
Model = tuple[nn.Module, tuple[torch.Tensor, ...], dict[str, Any]]


class Attention(nn.Module):
    """Attention with one projection for queries, keys and values."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def heads(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Queries, keys and values, [batch, head, position, channel]."""
        return tuple(t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))


class Stepwise(Attention):
    """Scores, mask, softmax and weighted sum, one after the other. The mask leaves out keys `behind` the query."""

    def __init__(self, behind: int = 1) -> None:
        super().__init__()
        self.behind = behind

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.heads(x)
        length = x.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(self.behind)
        scores = q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Fused(Attention):
    """Attention as one op."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(F.scaled_dot_product_attention(*self.heads(x), is_causal=True).transpose(1, 2).flatten(2))


def _model(module: nn.Module) -> Model:
    sizes = {"x": {0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("length", max=4096)}}
    return module.eval(), (torch.randn(2, 5, WIDTH),), sizes


def stepwise() -> Model:
    """Step by step."""
    return _model(Stepwise())


def fused() -> Model:
    """Fused."""
    return _model(Fused())


def leaking() -> Model:
    """A mask that lets each position see the next one."""
    return _model(Stepwise(2))
