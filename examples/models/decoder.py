"""A decoder of two layers, as a model's own code has it and as a serving library writes it, and two mistakes.

`reference` has a projection each for queries, keys and values, angles computed from positions, and attention by its
definition. `served` merges projections, looks rotary embeddings up in a table, and calls torch's own attention.
`scaled` forgets that layer n divides its scores by n, too; `short` has a table with rows for fewer positions.
"""

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, TOKENS, WIDTH, HEADS, SIZE, INNER = 2, 8, 32, 4, 8, 48
SHAPES = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH)}
SHAPES |= {"gate": (INNER, WIDTH), "up": (INNER, WIDTH), "down": (WIDTH, INNER)}


def weights() -> dict[str, torch.Tensor]:
    """The weights that both have, by name and layer."""
    torch.manual_seed(0)
    return {f"{name}{n}": 0.1 * torch.randn(shape) for n in range(LAYERS) for name, shape in SHAPES.items()}


def parameters_of(module: nn.Module, tensors: dict[str, torch.Tensor]) -> None:
    for name, tensor in tensors.items():
        module.register_parameter(name, nn.Parameter(tensor.clone()))


def heads(x: torch.Tensor) -> torch.Tensor:
    return x.unflatten(-1, (HEADS, SIZE)).transpose(0, 1)


class Reference(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        parameters_of(self, weights())
        for n in range(LAYERS):
            self.register_parameter(f"norm{n}", nn.Parameter(torch.ones(WIDTH)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for n in range(LAYERS):
            x = x + self.attention(F.rms_norm(x, (WIDTH,), getattr(self, f"norm{n}"), 1e-6), n)
            x = x + self.mlp(x, n)
        return x

    def attention(self, x: torch.Tensor, n: int) -> torch.Tensor:
        q, k, v = (heads(F.linear(x, getattr(self, f"{name}{n}"))) for name in "qkv")
        scores = self.rotated(q) @ self.rotated(k).transpose(-1, -2) / SIZE**0.5 / (n + 1)
        later = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
        made = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        return F.linear(made.transpose(0, 1).flatten(1), getattr(self, f"o{n}"))

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        angle = torch.arange(TOKENS)[:, None] * 10000.0 ** (-torch.arange(0, SIZE, 2) / SIZE)
        cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
        first, second = x.chunk(2, -1)
        return x * cos + torch.cat((-second, first), -1) * sin

    def mlp(self, x: torch.Tensor, n: int) -> torch.Tensor:
        gate, up = (F.linear(x, getattr(self, f"{name}{n}")) for name in ("gate", "up"))
        return F.linear(F.silu(gate) * up, getattr(self, f"down{n}"))


class Served(nn.Module):
    def __init__(self, rows: int = TOKENS, by_layer: bool = True) -> None:
        super().__init__()
        given = weights()
        self.by_layer = by_layer
        for n in range(LAYERS):
            merged = {f"qkv{n}": torch.cat([given[f"{name}{n}"] for name in "qkv"])}
            merged |= {f"gate_up{n}": torch.cat((given[f"gate{n}"], given[f"up{n}"]))}
            parameters_of(self, {**merged, f"o{n}": given[f"o{n}"], f"down{n}": given[f"down{n}"]})
            self.register_parameter(f"norm{n}", nn.Parameter(torch.ones(WIDTH)))
        angle = torch.arange(rows)[:, None] * 10000.0 ** (-torch.arange(0, SIZE, 2) / SIZE)
        self.register_buffer("cache", torch.cat((angle.cos(), angle.sin()), -1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cos, sin = self.cache.index_select(0, torch.arange(TOKENS)).chunk(2, -1)
        for n in range(LAYERS):
            y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * getattr(self, f"norm{n}")
            q, k, v = (heads(t) for t in F.linear(y, getattr(self, f"qkv{n}")).split(WIDTH, -1))
            q, k = self.rotated(q, cos, sin), self.rotated(k, cos, sin)
            scale = SIZE**-0.5 / (n + 1 if self.by_layer else 1)
            made = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
            x = x + F.linear(made.transpose(0, 1).flatten(1), getattr(self, f"o{n}"))
            gate, up = F.linear(x, getattr(self, f"gate_up{n}")).chunk(2, -1)
            x = x + F.linear(gate * torch.sigmoid(gate) * up, getattr(self, f"down{n}"))
        return x

    def rotated(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def reference():
    return Reference(), (torch.randn(TOKENS, WIDTH),)


def served():
    return Served(), (torch.randn(TOKENS, WIDTH),)


def scaled():
    """Scores are not divided by the number of the layer: wrong from the second layer on."""
    return Served(by_layer=False), (torch.randn(TOKENS, WIDTH),)


def short():
    """The table has no rows for the last positions."""
    return Served(rows=6), (torch.randn(TOKENS, WIDTH),)
