"""vLLM 9502: Phi's rotary base was 10,000 whatever the configuration said (`buggy`), and its table had the default
number of rows (`buggy_rows`)."""

import torch
from parts import (
    HEADS,
    QUERY,
    SIZE,
    WIDTH,
    Model,
    angles,
    fused_attention,
    heads,
    inputs,
    joined,
    rotate_halves,
    softmax_attention,
    weight,
)

TOKENS, BASE, ROWS = 10, 500000.0, 8
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Reference(Model):
    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        angle = angles(TOKENS, SIZE, BASE)
        return joined(softmax_attention(rotate_halves(q, angle), rotate_halves(k, angle), v, SIZE**-0.5))


class Table(Model):
    def __init__(self, rows, base, **parameters):
        super().__init__(**parameters)
        self.register_buffer("cache", torch.cat((angles(rows, SIZE, base).cos(), angles(rows, SIZE, base).sin()), -1))

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        cos, sin = self.cache[torch.arange(TOKENS)].chunk(2, -1)  # faulty
        return joined(fused_attention(*(self._turned(t, cos, sin) for t in (q, k)), v))

    def _turned(self, x, cos, sin):
        first, second = x.chunk(2, -1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)  # faulty


def reference():
    return Reference(**WEIGHTS), inputs(TOKENS, WIDTH)


def correct():
    return Table(TOKENS, BASE, **WEIGHTS), inputs(TOKENS, WIDTH)


def buggy():
    return Table(TOKENS, 10000.0, **WEIGHTS), inputs(TOKENS, WIDTH)


def buggy_rows():
    return Table(ROWS, BASE, **WEIGHTS), inputs(TOKENS, WIDTH)
