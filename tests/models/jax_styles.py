"""Blocks written in JAX, and in torch on the same weights; each with a twin that computes something else."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

T, W, H, D, VOCABULARY = 5, 8, 2, 4, 11


def weights(*shapes: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(3)
    return [random.standard_normal(shape).astype(np.float32) * 0.4 for shape in shapes]


# An MLP


UP, BIAS, DOWN = weights((W, 12), (12,), (12, W))
ROWS = np.linspace(-1, 1, 3 * W, dtype=np.float32).reshape(3, W)


def perceptron(parameters: Any, x: Any) -> Any:
    hidden = jax.nn.gelu(x @ parameters["up"] + parameters["bias"])
    return hidden @ parameters["down"]


def perceptron_exact(parameters: Any, x: Any) -> Any:
    hidden = jax.nn.gelu(x @ parameters["up"] + parameters["bias"], approximate=False)
    return hidden @ parameters["down"]


def perceptron_written_out(parameters: Any, x: Any) -> Any:
    z = jnp.einsum("ij,jk->ik", x, parameters["up"]) + parameters["bias"]
    inner = jnp.sqrt(2 / jnp.pi) * (z + 0.044715 * jnp.power(z, 3))
    return jax.lax.dot(z * 0.5 * (1 + jnp.tanh(inner)), parameters["down"])


def _perceptron(function: Any) -> Any:
    parameters = {"up": jnp.array(UP), "bias": jnp.array(BIAS), "down": jnp.array(DOWN)}
    return function, (parameters, jnp.array(ROWS))


class Perceptron(nn.Module):
    def __init__(self, approximate: str) -> None:
        super().__init__()
        self.up = nn.Linear(W, 12)
        self.down = nn.Linear(12, W, bias=False)
        self.approximate = approximate
        with torch.no_grad():
            self.up.weight.copy_(torch.tensor(UP.T))
            self.up.bias.copy_(torch.tensor(BIAS))
            self.down.weight.copy_(torch.tensor(DOWN.T))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.gelu(self.up(x), approximate=self.approximate))


# A convolution block: pictures with channels last in JAX, with channels second in torch


KERNEL, CENTER, SPREAD, SCALE, SHIFT = weights((3, 3, 2, 4), (4,), (4,), (4,), (4,))
SPREAD = np.abs(SPREAD) + 0.5
PICTURES = np.linspace(-1, 1, 1 * 2 * 6 * 6, dtype=np.float32).reshape(1, 2, 6, 6)


def _convolved(parameters: Any, x: Any, padding: str) -> Any:
    x = jnp.transpose(x, (0, 2, 3, 1))
    y = jax.lax.conv_general_dilated(
        x, parameters["kernel"], (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    y = (y - parameters["center"]) * jax.lax.rsqrt(parameters["spread"] + 1e-5) * parameters["scale"]
    y = jax.nn.relu(y + parameters["shift"])
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def convolved(parameters: Any, x: Any) -> Any:
    return jnp.transpose(_convolved(parameters, x, "SAME"), (0, 3, 1, 2))


def convolved_before_the_edge(parameters: Any, x: Any) -> Any:
    return jnp.transpose(jnp.roll(_convolved(parameters, x, "SAME"), 1, axis=1), (0, 3, 1, 2))


def _convolution(function: Any) -> Any:
    names = ("kernel", "center", "spread", "scale", "shift")
    values = (KERNEL, CENTER, SPREAD, SCALE, SHIFT)
    return function, ({n: jnp.array(v) for n, v in zip(names, values, strict=True)}, jnp.array(PICTURES))


class Convolved(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        with torch.no_grad():
            self.conv.weight.copy_(torch.tensor(KERNEL).permute(3, 2, 0, 1))
            self.norm.weight.copy_(torch.tensor(SCALE))
            self.norm.bias.copy_(torch.tensor(SHIFT))
            self.norm.running_mean.copy_(torch.tensor(CENTER))
            self.norm.running_var.copy_(torch.tensor(SPREAD))
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)


# A transformer block with its embedding


TABLE, QUERY, KEY, VALUE, OUT, FIRST, SECOND, GAIN = weights(
    (VOCABULARY, W), (W, H * D), (W, H * D), (W, H * D), (H * D, W), (W, 12), (12, W), (W,)
)
TOKENS = np.array([1, 4, 2, 9, 0], np.int32)


def _norm(x: Any, gain: Any) -> Any:
    centered = x - jnp.mean(x, axis=-1, keepdims=True)
    return centered / jnp.sqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-5) * gain


def _attend(p: Any, x: Any, scale: float) -> Any:
    q, k, v = (jnp.reshape(x @ p[name], (T, H, D)) for name in ("query", "key", "value"))
    scores = jnp.einsum("qhd,khd->hqk", q, k) * scale
    scores = jnp.where(jnp.tril(jnp.ones((T, T), bool)), scores, -jnp.inf)
    weight = jax.nn.softmax(scores, axis=-1)
    return jnp.einsum("hqk,khd->qhd", weight, v).reshape(T, H * D) @ p["out"]


def _block(p: Any, tokens: Any, scale: float) -> Any:
    x = jnp.take(p["table"], tokens, axis=0)
    x = x + _attend(p, _norm(x, p["gain"]), scale)
    return x + jax.nn.silu(_norm(x, p["gain"]) @ p["first"]) @ p["second"]


def block(p: Any, tokens: Any) -> Any:
    return _block(p, tokens, D**-0.5)


def block_unscaled(p: Any, tokens: Any) -> Any:
    return _block(p, tokens, 1 / D)


def block_by_indexing(p: Any, tokens: Any) -> Any:
    """The same in other words: indexing, one product for all projections, a mask of numbers, a softmax written out."""
    x = p["table"][tokens]
    y = _norm(x, p["gain"])
    merged = y @ jnp.concatenate([p["query"], p["key"], p["value"]], axis=1)
    q, k, v = (part.reshape(T, H, D).swapaxes(0, 1) for part in jnp.split(merged, 3, axis=1))
    row = jnp.arange(T)
    mask = jnp.where(row[:, None] >= row[None, :], 0.0, -jnp.inf)
    scores = jnp.exp(q @ k.swapaxes(1, 2) / math.sqrt(D) + mask)
    heads = scores @ v / scores.sum(-1, keepdims=True)
    x = x + heads.swapaxes(0, 1).reshape(T, H * D) @ p["out"]
    z = _norm(x, p["gain"]) @ p["first"]
    return x + z * jax.nn.sigmoid(z) @ p["second"]


def _transformer(function: Any) -> Any:
    names = ("table", "query", "key", "value", "out", "first", "second", "gain")
    values = (TABLE, QUERY, KEY, VALUE, OUT, FIRST, SECOND, GAIN)
    return function, ({n: jnp.array(v) for n, v in zip(names, values, strict=True)}, jnp.array(TOKENS))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, W)
        self.norm = nn.LayerNorm(W, eps=1e-5, bias=False)
        self.qkv = nn.Linear(W, 3 * H * D, bias=False)
        self.out = nn.Linear(H * D, W, bias=False)
        self.first, self.second = nn.Linear(W, 12, bias=False), nn.Linear(12, W, bias=False)
        with torch.no_grad():
            self.embed.weight.copy_(torch.tensor(TABLE))
            self.norm.weight.copy_(torch.tensor(GAIN))
            self.qkv.weight.copy_(torch.tensor(np.concatenate([QUERY, KEY, VALUE], 1).T))
            for layer, value in ((self.out, OUT), (self.first, FIRST), (self.second, SECOND)):
                layer.weight.copy_(torch.tensor(value.T))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        q, k, v = (t.view(T, H, D).transpose(0, 1) for t in self.qkv(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(0, 1).reshape(T, H * D))
        return x + self.second(F.silu(self.first(self.norm(x))))


JAX: dict[str, Any] = {
    **{f.__name__: (_perceptron, f) for f in (perceptron, perceptron_exact, perceptron_written_out)},
    **{f.__name__: (_convolution, f) for f in (convolved, convolved_before_the_edge)},
    **{f.__name__: (_transformer, f) for f in (block, block_unscaled, block_by_indexing)},
}
TORCH: dict[str, Any] = {
    "torch_perceptron": lambda: (Perceptron("tanh"), (torch.tensor(ROWS),)),
    "torch_convolved": lambda: (Convolved(), (torch.tensor(PICTURES),)),
    "torch_block": lambda: (Block(), (torch.tensor(TOKENS),)),
}
