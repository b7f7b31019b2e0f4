"""Decoders as serving engines write them: tokens flattened to one row, merged projections, norms that add the residual,
a table of cosines and sines looked up by position, fused attention, a vocabulary padded to a multiple of 64.

Written after the structure of vLLM's models; no code is taken from there. Shapes: N tokens, H heads, G groups of keys,
d the width of a head.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import nn

PADDED_TO = 64
"""Rows of embeddings, at least."""

Mistake = Literal["none", "scale", "base", "swapped", "residual", "window", "head"]
"""What a wrong decoder does: no scale of scores, another rotary base, gate and up exchanged, a norm that forgets the
residual, a window one key too wide, keys of the wrong head."""


@torch.library.custom_op("serving::attention", mutates_args=())
def opaque_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
    """A kernel of which nothing is known: causal attention of `q` [N, H, d] to `k` and `v` [N, G, d]."""
    found = F.scaled_dot_product_attention(*_heads_first(q, k, v), is_causal=True, scale=scale, enable_gqa=True)
    return found.transpose(0, 1).contiguous()


@opaque_attention.register_fake
def _(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.empty_like(q)


def _heads_first(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [t.transpose(0, 1) for t in tensors]


class FusedNorm(nn.Module):
    """RMSNorm of the sum of its input and the residual, with the sum as the next residual."""

    def __init__(self, width: int, eps: float, forgets: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps
        self.forgets = forgets

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        total = x if residual is None else x + residual
        wide = (x if self.forgets else total).float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * scale).to(x.dtype) * self.weight, total


class Rotary(nn.Module):
    """Rotary embedding from a table [positions, rotary width] whose rows are cosines and then sines."""

    def __init__(self, width: int, positions: int, base: float) -> None:
        super().__init__()
        frequencies = 1.0 / base ** (torch.arange(0, width, 2).float() / width)
        angles = torch.outer(torch.arange(positions).float(), frequencies)
        self.register_buffer("cos_sin", torch.cat((angles.cos(), angles.sin()), -1), persistent=False)
        self.width = width

    def forward(self, positions: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        cos, sin = self.cos_sin[positions].unsqueeze(1).chunk(2, -1)
        turned, rest = x[..., : self.width], x[..., self.width :]
        first, second = turned.chunk(2, -1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin, rest), -1)


class Attention(nn.Module):
    """Attention over merged projections of queries, keys and values."""

    def __init__(self, sizes: Mapping[str, Any], mistake: Mistake) -> None:
        super().__init__()
        heads, groups, head = sizes["heads"], sizes["groups"], sizes["head"]
        self.split = (heads * head, groups * head, groups * head)
        self.qkv = nn.Linear(sizes["width"], sum(self.split), bias=sizes.get("qkv_bias", False))
        self.out = nn.Linear(heads * head, sizes["width"], bias=sizes.get("out_bias", False))
        self.head, self.window, self.opaque = head, sizes.get("window"), sizes.get("opaque", False)
        self.scale = 1.0 if mistake == "scale" else head**-0.5
        self.rolled = mistake == "head"
        if self.window is not None and mistake == "window":
            self.window += 1

    def forward(self, positions: torch.Tensor, x: torch.Tensor, rotary: Rotary | None) -> torch.Tensor:
        q, k, v = (t.unflatten(-1, (-1, self.head)) for t in self.qkv(x).split(self.split, -1))
        if rotary is not None:
            q, k = rotary(positions, q), rotary(positions, k)
        if self.rolled:
            k = k.roll(1, 1)
        if self.opaque:
            return self.out(opaque_attention(q, k, v, self.scale).flatten(1))
        mask = None
        if self.window is not None:
            away = positions[:, None] - positions[None, :]
            mask = (away >= 0) & (away < self.window)
        found = F.scaled_dot_product_attention(
            *_heads_first(q, k, v), attn_mask=mask, is_causal=mask is None, scale=self.scale, enable_gqa=True
        )
        return self.out(found.transpose(0, 1).flatten(1))


class GatedMlp(nn.Module):
    """`silu(gate) * up` of one merged projection."""

    def __init__(self, sizes: Mapping[str, Any], mistake: Mistake) -> None:
        super().__init__()
        self.gate_up = nn.Linear(sizes["width"], 2 * sizes["mlp"], bias=False)
        self.down = nn.Linear(sizes["mlp"], sizes["width"], bias=False)
        self.swapped = mistake == "swapped"

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(up) * gate if self.swapped else F.silu(gate) * up)


class Block(nn.Module):
    """A layer that takes and returns what is computed and the residual, not yet added."""

    def __init__(self, sizes: Mapping[str, Any], mistake: Mistake) -> None:
        super().__init__()
        self.first = FusedNorm(sizes["width"], sizes["eps"])
        self.attention = Attention(sizes, mistake)
        self.second = FusedNorm(sizes["width"], sizes["eps"], mistake == "residual")
        self.mlp = GatedMlp(sizes, mistake)

    def forward(
        self, positions: torch.Tensor, x: torch.Tensor, residual: torch.Tensor | None, rotary: Rotary
    ) -> tuple[torch.Tensor, torch.Tensor]:
        x, residual = self.first(x, residual)
        x, residual = self.second(self.attention(positions, x, rotary), residual)
        return self.mlp(x), residual


def padded(vocabulary: int) -> int:
    """The rows that an embedding of a vocabulary has."""
    return -(-vocabulary // PADDED_TO) * PADDED_TO


class Decoder(nn.Module):
    """A decoder with rotary embedding and gated layers; the mistake is in the last layer, that of the base in all."""

    def __init__(self, sizes: Mapping[str, Any], layers: int, mistake: Mistake = "none") -> None:
        super().__init__()
        rows, self.vocabulary = padded(sizes["vocab"]), sizes["vocab"]
        self.embedding = nn.Embedding(rows, sizes["width"])
        base = sizes["base"] * (0.9 if mistake == "base" else 1)
        self.rotary = Rotary(sizes.get("rotary", sizes["head"]), sizes["context"], base)
        last = layers - 1
        self.blocks = nn.ModuleList(Block(sizes, mistake if k == last else "none") for k in range(layers))
        self.norm = FusedNorm(sizes["width"], sizes["eps"])
        self.head = nn.Linear(sizes["width"], rows, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        ids = ids.flatten()
        positions = torch.arange(ids.shape[0])
        x, residual = self.embedding(ids), None
        for block in self.blocks:
            x, residual = block(positions, x, residual, self.rotary)
        return self.head(self.norm(x, residual)[0])[:, : self.vocabulary]


class LearnedBlock(nn.Module):
    """A layer of GPT-2."""

    def __init__(self, sizes: Mapping[str, Any], mistake: Mistake) -> None:
        super().__init__()
        width = sizes["width"]
        self.first, self.second = nn.LayerNorm(width, sizes["eps"]), nn.LayerNorm(width, sizes["eps"])
        self.attention = Attention(sizes, mistake)
        self.up, self.down = nn.Linear(width, sizes["mlp"]), nn.Linear(sizes["mlp"], width)

    def forward(self, positions: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(positions, self.first(x), None)
        return x + self.down(F.gelu(self.up(self.second(x)), approximate="tanh"))


class LearnedDecoder(nn.Module):
    """A decoder with learned positions and LayerNorm; the embedding is the head as well."""

    def __init__(self, sizes: Mapping[str, Any], layers: int, mistake: Mistake = "none") -> None:
        super().__init__()
        self.vocabulary = sizes["vocab"]
        self.embedding = nn.Embedding(padded(sizes["vocab"]), sizes["width"])
        self.places = nn.Embedding(sizes["context"], sizes["width"])
        last = layers - 1
        self.blocks = nn.ModuleList(LearnedBlock(sizes, mistake if k == last else "none") for k in range(layers))
        self.norm = nn.LayerNorm(sizes["width"], sizes["eps"])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        ids = ids.flatten()
        positions = torch.arange(ids.shape[0])
        x = self.embedding(ids) + self.places(positions)
        for block in self.blocks:
            x = block(positions, x)
        return F.linear(self.norm(x), self.embedding.weight)[:, : self.vocabulary]
