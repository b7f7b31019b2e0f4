"""One attention head, as torch computes it and written out, with merged and with separate projections."""

import math

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH = 3, 4


class Merged(nn.Module):
    """Query, key and value by one product, and torch's own attention."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(x).split(WIDTH, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Separate(nn.Module):
    """Three products, and attention by its definition."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.q = nn.Linear(WIDTH, WIDTH)
        self.k = nn.Linear(WIDTH, WIDTH)
        self.v = nn.Linear(WIDTH, WIDTH)
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.q(x) @ self.k(x).transpose(-1, -2) * self.scale
        later = torch.triu(torch.ones(TOKENS, TOKENS, dtype=torch.bool), 1)
        return F.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ self.v(x)


def _pair(scale: float) -> tuple[Merged, Separate]:
    torch.manual_seed(0)
    merged, separate = Merged(), Separate(scale)
    with torch.no_grad():
        for name, part in zip(("q", "k", "v"), range(3), strict=True):
            linear = getattr(separate, name)
            linear.weight.copy_(merged.qkv.weight.chunk(3)[part])
            linear.bias.copy_(merged.qkv.bias.chunk(3)[part])
    return merged, separate


def merged():
    return _pair(1.0)[0], (torch.randn(1, TOKENS, WIDTH),)


def separate():
    return _pair(1 / math.sqrt(WIDTH))[1], (torch.randn(1, TOKENS, WIDTH),)


def unscaled():
    """A head whose scores are not divided by the root of the width: wrong."""
    return _pair(1.0)[1], (torch.randn(1, TOKENS, WIDTH),)
