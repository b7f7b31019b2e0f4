"""Small torch models in several spellings, right and wrong ones: each function returns a module and its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Model = tuple[nn.Module, tuple[Any, ...]]
MODELS: dict[str, Callable[[], Model]] = {}
TOKENS, WIDTH, HIDDEN = 2, 3, 4


class Written(nn.Module):
    """A model by its parameters and what it computes of them and the input."""

    def __init__(self, forward: Callable[..., Any], **parameters: torch.Tensor) -> None:
        super().__init__()
        self.compute = forward
        for name, value in parameters.items():
            self.register_parameter(name, nn.Parameter(value.clone().contiguous()))

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.compute(self, *inputs)


def _values(*shape: int) -> torch.Tensor:
    """Values without repeats, the same at each call."""
    generator = torch.Generator().manual_seed(sum(n * 10**k for k, n in enumerate(shape)))
    return torch.randn(*shape, generator=generator)


def model(*shapes: tuple[int, ...], **parameters: torch.Tensor) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a model that takes inputs of these shapes."""

    def add(forward: Callable[..., Any]) -> Callable[..., Any]:
        name = forward.__name__
        MODELS[name] = lambda: (Written(forward, **parameters), tuple(_values(*s) for s in shapes))
        return forward

    return add


X = (TOKENS, WIDTH)
W, B = _values(HIDDEN, WIDTH), _values(HIDDEN)


@model(X, w=W, b=B)
def linear(m, x):
    return F.linear(x, m.w, m.b)


@model(X, u=W.t(), c=B)
def addmm(m, x):
    return torch.addmm(m.c, x, m.u)


SQUARE = _values(WIDTH, WIDTH)


@model(X, w=SQUARE)
def square(m, x):
    return F.linear(x, m.w)


@model(X, w=SQUARE)
def square_not_transposed(m, x):
    return x @ m.w


Q, K, V = (_values(WIDTH, WIDTH, k)[:, :, 0] for k in (5, 6, 7))


@model(X, q=Q, k=K, v=V)
def separate(m, x):
    return F.linear(x, m.q), F.linear(x, m.k), F.linear(x, m.v)


@model(X, qkv=torch.cat([Q, K, V]))
def merged(m, x):
    return F.linear(x, m.qkv).split(WIDTH, dim=-1)


@model(X, qkv=torch.cat([Q, K, V]))
def merged_in_wrong_order(m, x):
    q, k, v = F.linear(x, m.qkv).split(WIDTH, dim=-1)
    return k, q, v


UP, DOWN = _values(HIDDEN, WIDTH), _values(WIDTH, HIDDEN)


@model(X, up=UP, b=B, down=DOWN)
def mlp(m, x):
    return F.linear(F.silu(F.linear(x, m.up, m.b)), m.down)


@model(X, up=UP, b=B, down=DOWN)
def mlp_written_out(m, x):
    h = x @ m.up.t() + m.b
    return (h / (1 + torch.exp(-h))) @ m.down.t()


@model(X, up=UP, b=B, down=DOWN)
def mlp_relu(m, x):
    return F.linear(F.relu(F.linear(x, m.up, m.b)), m.down)


IMAGE, FILTER = (1, 2, 4, 4), _values(3, 2, 3, 3)


@model(IMAGE, w=FILTER)
def conv(m, x):
    return F.conv2d(x, m.w, padding=1)


@model(IMAGE, w=FILTER)
def conv_shifted(m, x):
    return _shifted(m, x, 0)


@model(IMAGE, w=FILTER)
def conv_shifted_too_far(m, x):
    return _shifted(m, x, 1)


def _shifted(m, x, off):
    x, out = F.pad(x, (1, 1, 1, 1 + off)), 0
    for i in range(3):
        for j in range(3):
            window = x[:, :, i + off : i + off + 4, j : j + 4]
            out = out + torch.einsum("oc,bchw->bohw", m.w[:, :, i, j], window)
    return out


G = _values(WIDTH)
EPS = 1e-5


@model(X, g=G, b=G + 1)
def layer_norm(m, x):
    return F.layer_norm(x, (WIDTH,), m.g, m.b, EPS)


@model(X, g=G, b=G + 1)
def layer_norm_written_out(m, x):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return (x - mean) / torch.sqrt(variance + EPS) * m.g + m.b


@model(X, g=G, b=G + 1)
def layer_norm_large_eps(m, x):
    return F.layer_norm(x, (WIDTH,), m.g, m.b, 1e-3)


@model(X)
def softmax(m, x):
    return F.softmax(x, dim=-1)


@model(X)
def softmax_without_maximum(m, x):
    e = torch.exp(x)
    return e / e.sum(-1, keepdim=True)


@model(X)
def softmax_other_axis(m, x):
    return F.softmax(x, dim=0)


HEAD = ((1, TOKENS, HIDDEN),) * 3


@model(*HEAD)
def attention(m, q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


NARROW = ((1, TOKENS, 2),) * 3


@model(*NARROW)
def narrow_head(m, q, k, v):
    """Queries and keys are scaled by a fourth root each."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@model(*NARROW)
def narrow_head_written_out(m, q, k, v):
    return _attention(q, k, v, 2**-0.5, 1)


GROUPED = ((1, 4, TOKENS, 2), (1, 2, TOKENS, 2), (1, 2, TOKENS, 2))


@model(*GROUPED)
def grouped(m, q, k, v):
    k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    return F.scaled_dot_product_attention(q, k, v)


@model(*GROUPED)
def grouped_by_einsum(m, q, k, v):
    return _grouped(q.view(1, 2, 2, TOKENS, 2), k, v)


@model(*GROUPED)
def grouped_in_wrong_order(m, q, k, v):
    return _grouped(q.view(1, 2, 2, TOKENS, 2).transpose(1, 2), k, v)


def _grouped(q, k, v):
    weights = torch.einsum("bhgtd,bhsd->bhgts", q, k) / 2**0.5
    return torch.einsum("bhgts,bhsd->bhgtd", weights.softmax(-1), v).reshape(1, 4, TOKENS, 2)


def _attention(q, k, v, scale, first_hidden):
    scores = q @ k.transpose(-1, -2) * scale
    later = torch.triu(torch.ones(TOKENS, TOKENS, dtype=torch.bool), first_hidden)
    return F.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ v


@model(*HEAD)
def attention_written_out(m, q, k, v):
    return _attention(q, k, v, 1 / math.sqrt(HIDDEN), 1)


@model(*HEAD)
def attention_unscaled(m, q, k, v):
    return _attention(q, k, v, 1.0, 1)


@model(*HEAD)
def attention_sees_one_too_many(m, q, k, v):
    return _attention(q, k, v, 1 / math.sqrt(HIDDEN), 2)


@model(X)
def gelu_tanh(m, x):
    return F.gelu(x, approximate="tanh")


@model(X)
def gelu_tanh_written_out(m, x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Normed(nn.Module):
    """Buffers, one of them not saved with the module, beside a mask that is part of the program."""

    def __init__(self, written_out: bool) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH)
        self.register_buffer("shift", _values(WIDTH), persistent=False)
        self.register_buffer("kept", torch.tensor([[True, False, True], [False, False, False]]))
        self.written_out = written_out
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.norm
        if not self.written_out:
            return n(x).masked_fill(self.kept, 0.0) + self.shift
        y = (x - n.running_mean) * torch.rsqrt(n.running_var + n.eps) * n.weight + n.bias
        return torch.where(self.kept, 0.0, y) + self.shift


MODELS["normed"] = lambda: (Normed(False), (_values(*X),))
MODELS["normed_written_out"] = lambda: (Normed(True), (_values(*X),))


@model((4, 3), (4, 3), (4, 2))
def running_attention(m, q, k, v):
    """Attention without a softmax, from the running sum of what keys and values make."""
    state = torch.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), 0)
    return (q.unsqueeze(-2) @ state).squeeze(-2)


@model((4, 3), (4, 3), (4, 2))
def masked_attention(m, q, k, v):
    return ((q @ k.T) * torch.tril(torch.ones(4, 4))) @ v


@model((4, 3), (4, 3), (4, 2))
def unmasked_attention(m, q, k, v):
    return (q @ k.T) @ v


@model(X)
def products(m, x):
    return torch.cumprod(x, -1)


@model(X)
def products_written_out(m, x):
    a, b, c = x.unbind(-1)
    return torch.stack((a, b * a, c * b * a), -1)


@model(X, X)
def losses(m, x, y):
    """Ops that torch says are made of others."""
    return (
        *(F.mse_loss(x, y), F.huber_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy_with_logits(x, y)),
        *(F.normalize(x), F.celu(x), F.softshrink(x), torch.logaddexp(x, y), F.instance_norm(x[None])),
    )


@model(X, X)
def losses_written_out(m, x, y):
    return _losses(x, y, 1.0)


@model(X, X)
def losses_with_another_bound(m, x, y):
    return _losses(x, y, 0.5)


def _losses(x, y, bound):
    apart = (x - y).abs()
    near = apart.clamp(max=bound)
    huber = (near * (apart - 0.5 * near)).mean()
    entropy = (F.relu(x) - x * y + torch.log(1 + torch.exp(-x.abs()))).mean()
    length = (x * x).sum(1, keepdim=True).sqrt().clamp(min=1e-12)
    more = torch.maximum(x, y) + torch.log(1 + torch.exp(-(x - y).abs()))
    centered = x - x.mean(-1, keepdim=True)
    variance = (centered * centered).mean(-1, keepdim=True)
    shrunk = F.relu(x - 0.5) - F.relu(-x - 0.5)
    celu = F.relu(x) - F.relu(1 - x.exp())
    square = (x * x - 2 * x * y + y * y).mean()
    return square, huber, huber, entropy, x / length, celu, shrunk, more, (centered / (variance + 1e-5).sqrt())[None]


@model(X)
def positive_parts(m, x):
    return torch.where(x > 0, x + 1, x)


@model(X)
def parts_that_are_not_negative(m, x):
    return torch.where(x >= 0, x + 1, x)


@model(X)
def numbers_above_a_half(m, x):
    return (x > 0.5) * x


@model(X)
def numbers_from_a_half(m, x):
    return (x >= 0.5) * x


@model(X)
def sorts(m, x):
    return torch.sort(x).values


@model(X)
def transforms(m, x):
    return torch.fft.fft(x).real


@model(X)
def gated(m, x):
    """Branches on the input, each in one spelling."""
    return F.relu(x), x.clamp(-1, 2), F.elu(x), F.logsigmoid(x), x / (1 + x.abs()), F.gelu(x)


@model(X)
def gated_by_cases(m, x):
    return _gated_by_cases(x, 1.0)


@model(X)
def gated_by_wrong_cases(m, x):
    return _gated_by_cases(x, 2.0)


def _gated_by_cases(x, bound):
    clamped = torch.where(x > 2, 2.0, torch.where(x < -bound, -bound, x))
    logistic = torch.where(x >= 0, 1 / (1 + torch.exp(-x)), torch.exp(x) / (1 + torch.exp(x)))
    sign = torch.where(x > 0, x / (1 + x), x / (1 - x))
    return x * (x > 0), clamped, F.relu(x) - F.relu(1 - x.exp()), logistic.log(), sign, x * torch.special.ndtr(x)
