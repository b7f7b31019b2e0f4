"""A Llama of two layers in two styles, with the same weights, and wrong twins of the second.

`Written` is in the style of research code: tokens [1, T, d], three projections, `rotate_half` with doubled tables,
key heads repeated, a mask added to the scores. `Served` is in the style of an inference engine: tokens [T, d], merged
projections, one table of cosines and sines that is looked up by position, residuals added inside the norms, torch's own
attention.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

D, HEADS, GROUPS, HEAD, MLP, VOCAB, TOKENS, ROWS = 16, 4, 2, 4, 24, 20, 6, 10
EPS = 1e-5
Model = tuple[nn.Module, tuple[Any, ...]]


def frequencies(base: float = 1e4) -> torch.Tensor:
    return 1.0 / base ** (torch.arange(0, HEAD, 2, dtype=torch.float32) / HEAD)


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + EPS))


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    return torch.cat((-x[..., HEAD // 2 :], x[..., : HEAD // 2]), -1)


class WrittenAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(D, HEADS * HEAD, bias=False)
        self.k_proj = nn.Linear(D, GROUPS * HEAD, bias=False)
        self.v_proj = nn.Linear(D, GROUPS * HEAD, bias=False)
        self.o_proj = nn.Linear(HEADS * HEAD, D, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (f(x).view(1, TOKENS, -1, HEAD).transpose(1, 2) for f in (self.q_proj, self.k_proj, self.v_proj))
        q, k = (t * cos + rotate_half(t) * sin for t in (q, k))
        k, v = (
            t[:, :, None].expand(1, GROUPS, HEADS // GROUPS, TOKENS, HEAD).reshape(1, HEADS, TOKENS, HEAD)
            for t in (k, v)
        )
        scores = q @ k.transpose(2, 3) * HEAD**-0.5 + mask
        found = F.softmax(scores, -1, dtype=torch.float32) @ v
        return self.o_proj(found.transpose(1, 2).reshape(1, TOKENS, -1))


class WrittenLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.input_norm, self.post_norm = Norm(), Norm()
        self.attention = WrittenAttention()
        self.gate_proj = nn.Linear(D, MLP, bias=False)
        self.up_proj = nn.Linear(D, MLP, bias=False)
        self.down_proj = nn.Linear(MLP, D, bias=False)

    def forward(self, x: torch.Tensor, *more: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.input_norm(x), *more)
        y = self.post_norm(x)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class Written(nn.Module):
    inv_freq: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCAB, D)
        self.layers = nn.ModuleList(WrittenLayer() for _ in range(2))
        self.norm = Norm()
        self.head = nn.Linear(D, VOCAB, bias=False)
        self.register_buffer("inv_freq", frequencies(), persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids[None])
        positions = torch.arange(TOKENS)
        angles = positions[:, None].float() * self.inv_freq
        angles = torch.cat((angles, angles), -1)
        mask = torch.where(positions[None, :] > positions[:, None], torch.finfo(torch.float32).min, 0.0)
        for layer in self.layers:
            x = layer(x, angles.cos(), angles.sin(), mask)
        return self.head(self.norm(x))[0]


class ServedNorm(nn.Module):
    def __init__(self, eps: float) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(D)), eps

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        x = x if residual is None else x + residual
        return F.rms_norm(x, (D,), self.weight, self.eps), x


class ServedLayer(nn.Module):
    def __init__(self, twist: str) -> None:
        super().__init__()
        eps = 1e-6 if twist == "eps" else EPS
        self.norm1, self.norm2 = ServedNorm(EPS), ServedNorm(eps)
        self.qkv = nn.Linear(D, (HEADS + 2 * GROUPS) * HEAD, bias=False)
        self.out = nn.Linear(HEADS * HEAD, D, bias=False)
        self.gate_up = nn.Linear(D, 2 * MLP, bias=False)
        self.down = nn.Linear(MLP, D, bias=False)
        self.twist = twist

    def rotated(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        cos, sin = (t[:, None] for t in rows.chunk(2, -1))
        if self.twist == "pairs":
            a, b = x[..., ::2], x[..., 1::2]
            return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def forward(
        self, x: torch.Tensor, residual: torch.Tensor | None, rows: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        x, residual = self.norm1(x, residual)
        q, k, v = self.qkv(x).split([HEADS * HEAD, GROUPS * HEAD, GROUPS * HEAD], -1)
        q, k = (self.rotated(t.view(TOKENS, -1, HEAD), rows) for t in (q, k))
        v = v.view(TOKENS, -1, HEAD)
        q, k, v = (t.transpose(0, 1)[None] for t in (q, k, v))
        if self.twist == "window":
            places = torch.arange(TOKENS)
            mask = places[None, :] < places[:, None]
            mask[0, 0] = True
            found = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
        else:
            scale = HEAD**-1 if self.twist == "scale" else None
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
        x = self.out(found[0].transpose(0, 1).reshape(TOKENS, -1))
        x, residual = self.norm2(x, residual)
        gate, up = self.gate_up(x).chunk(2, -1)
        if self.twist == "gate":
            gate, up = up, gate
        return self.down(F.silu(gate) * up), residual


class Served(nn.Module):
    """`twist` names the mistake of the last layer; `base` is that of the rotary table."""

    table: torch.Tensor

    def __init__(self, twist: str = "", base: float = 1e4) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCAB, D)
        self.layers = nn.ModuleList(ServedLayer(t) for t in ("", twist))
        self.norm = ServedNorm(EPS)
        self.head = nn.Linear(D, VOCAB, bias=False)
        angles = torch.arange(ROWS, dtype=torch.float32)[:, None] * frequencies(base)
        self.register_buffer("table", torch.cat((angles.cos(), angles.sin()), -1))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        rows = self.table[torch.arange(TOKENS)]
        x, residual = self.embed(ids), None
        for layer in self.layers:
            x, residual = layer(x, residual, rows)
        return self.head(self.norm(x, residual)[0])


def _filled(model: nn.Module) -> nn.Module:
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(1.0 if "norm" in name else 0.0, 0.3, generator=generator)
    return model.eval()


def ids() -> torch.Tensor:
    return torch.tensor([3, 1, 4, 1, 5, 9])


def written() -> Model:
    return _filled(Written()), (ids(),)


def served(twist: str = "", base: float = 1e4) -> Model:
    source, model = written()[0], Served(twist, base).eval()
    weights = source.state_dict()
    with torch.no_grad():
        model.embed.weight.copy_(weights["embed.weight"])
        model.head.weight.copy_(weights["head.weight"])
        model.norm.weight.copy_(weights["norm.weight"])
        for k, layer in enumerate(model.layers):
            mine = {name: weights[f"layers.{k}.{name}"] for name in _NAMES}
            layer.norm1.weight.copy_(mine["input_norm.weight"])
            layer.norm2.weight.copy_(mine["post_norm.weight"])
            layer.qkv.weight.copy_(torch.cat([mine[f"attention.{n}_proj.weight"] for n in "qkv"]))
            layer.out.weight.copy_(mine["attention.o_proj.weight"])
            layer.gate_up.weight.copy_(torch.cat([mine["gate_proj.weight"], mine["up_proj.weight"]]))
            layer.down.weight.copy_(mine["down_proj.weight"])
    return model, (ids(),)


_NAMES = (
    *("input_norm.weight", "post_norm.weight", "gate_proj.weight", "up_proj.weight", "down_proj.weight"),
    *(f"attention.{n}_proj.weight" for n in "qkvo"),
)


def wrong_eps() -> Model:
    return served("eps")


def wrong_pairs() -> Model:
    return served("pairs")


def wrong_window() -> Model:
    return served("window")


def wrong_scale() -> Model:
    return served("scale")


def wrong_gate() -> Model:
    return served("gate")


def wrong_base() -> Model:
    return served(base=9.9e3)


assert math.prod((HEADS, HEAD)) == D
