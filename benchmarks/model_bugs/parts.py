"""What the models of this folder share: weights by name, rotary embeddings, attention, norms.

Each other file is one public bug report of a serving or modelling library, as three models of the same network:
`reference()` as the original model computes it, `correct()` written as the library should have it, `buggy()` as it was.
All have the weights of the reference, laid out as their own code wants them.
"""

from __future__ import annotations

import math
from zlib import crc32

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HEADS, GROUPS, SIZE = 6, 16, 4, 2, 4
"""Tokens, model width, query heads, key heads, width of a head."""


def weight(name: str, *shape: int) -> torch.Tensor:
    """Random numbers that depend on the name alone."""
    made = torch.Generator().manual_seed(crc32(name.encode()))
    return torch.randn(shape, generator=made) / math.sqrt(shape[-1])


def near_one(name: str, *shape: int) -> torch.Tensor:
    """The weight of a norm."""
    return 1 + 0.2 * weight(name, *shape)


class Model(nn.Module):
    """A module with these parameters."""

    def __init__(self, **parameters: torch.Tensor) -> None:
        super().__init__()
        for name, value in parameters.items():
            self.register_parameter(name, nn.Parameter(value.clone()))


def inputs(*shape: int) -> tuple[torch.Tensor, ...]:
    """The arguments of a model that takes one tensor."""
    return (3 * weight("input", *(shape or (TOKENS, WIDTH))),)


def frequencies(size: int, base: float = 10000.0) -> torch.Tensor:
    """`base^(-2i/size)`."""
    return 1.0 / base ** (torch.arange(0, size, 2).float() / size)


def angles(count: int, size: int, base: float = 10000.0) -> torch.Tensor:
    """Position times frequency, `[count, size / 2]`."""
    return torch.arange(count).float()[:, None] * frequencies(size, base)


def rotate_halves(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Rotary embedding that pairs element i with i + size / 2 (GPT-NeoX); `x` is `[..., T, size]`."""
    cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def rotate_halves_apart(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """The same, half by half."""
    first, second = x.chunk(2, -1)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def rotate_pairs(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Rotary embedding that pairs elements 2i and 2i + 1 (GPT-J)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    return torch.stack((even * cos - odd * sin, odd * cos + even * sin), -1).flatten(-2)


def rotate_pairs_as_complex(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """The same, as products of complex numbers with real and imaginary parts side by side."""
    pairs = x.unflatten(-1, (-1, 2))
    turn = torch.stack((angle.cos(), angle.sin()), -1)
    real = pairs[..., 0] * turn[..., 0] - pairs[..., 1] * turn[..., 1]
    imaginary = pairs[..., 0] * turn[..., 1] + pairs[..., 1] * turn[..., 0]
    return torch.stack((real, imaginary), -1).flatten(-2)


def heads(x: torch.Tensor, count: int) -> torch.Tensor:
    """`[T, count * size]` as `[count, T, size]`."""
    return x.unflatten(-1, (count, -1)).transpose(-3, -2)


def joined(x: torch.Tensor) -> torch.Tensor:
    """`[count, T, size]` as `[T, count * size]`."""
    return x.transpose(-3, -2).flatten(-2)


def softmax_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """Causal attention by its definition; key heads are repeated for the queries of their group."""
    k, v = (t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if bias is not None:
        scores = scores + bias
    row, column = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])
    return scores.masked_fill(column > row, float("-inf")).softmax(-1) @ v


def fused_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None = None) -> torch.Tensor:
    """Causal attention by PyTorch's own op."""
    grouped = q.shape[-3] != k.shape[-3]
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=grouped)


def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """`x / sqrt(mean(x^2) + eps) * w`."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w


QUERY, KEY, OUTPUT = (HEADS * SIZE, WIDTH), (GROUPS * SIZE, WIDTH), (WIDTH, HEADS * SIZE)
