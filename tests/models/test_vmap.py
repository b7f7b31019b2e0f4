"""Models that call `torch.vmap`, as for masks that a function of two positions makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .test_relations import decide

Model = tuple[nn.Module, tuple[Any, ...]]
TOKENS, WIDTH = 4, 3
X = torch.randn(TOKENS, WIDTH, generator=torch.Generator().manual_seed(0))


class Masked(nn.Module):
    """Attention of tokens to themselves under a mask."""

    def __init__(self, mask: Callable[[], torch.Tensor]) -> None:
        super().__init__()
        self.mask = mask

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=self.mask()[None])[0]


def _mapped(allowed: Callable[[Any, Any], Any]) -> torch.Tensor:
    positions = torch.arange(TOKENS)
    return torch.vmap(torch.vmap(allowed, (None, 0)), (0, None))(positions, positions)


def by_compared_positions() -> Model:
    return Masked(lambda: torch.arange(TOKENS)[None, :] <= torch.arange(TOKENS)[:, None]), (X,)


def by_mapped_function() -> Model:
    return Masked(lambda: _mapped(lambda q, k: k <= q)), (X,)


def by_mapped_window() -> Model:
    return Masked(lambda: _mapped(lambda q, k: (k <= q) & (q - k < 2))), (X,)


class Rows(nn.Module):
    """What a function makes of each row, and the sum of all."""

    def __init__(self, mapped: bool, power: int = 2) -> None:
        super().__init__()
        self.mapped, self.power = mapped, power

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.mapped:
            return torch.vmap(lambda row: row / (1 + (row**self.power).sum()))(x)
        return x / (1 + x.square().sum(-1, keepdim=True))


def rows() -> Model:
    return Rows(False), (X,)


def mapped_rows() -> Model:
    return Rows(True), (X,)


def mapped_rows_of_fourth_powers() -> Model:
    return Rows(True, 4), (X,)


def test_a_mask_by_a_function() -> None:
    assert decide(by_compared_positions, by_mapped_function).verdict == "equivalent"
    assert decide(by_compared_positions, by_mapped_window).verdict == "not-equivalent"


def test_a_function_of_rows() -> None:
    assert decide(rows, mapped_rows).verdict == "equivalent"
    assert decide(rows, mapped_rows_of_fourth_powers).verdict == "not-equivalent"
