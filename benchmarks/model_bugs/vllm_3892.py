"""vLLM 3892: Command-R's rotary table had rows for fewer positions than were served."""

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
    rotate_halves_apart,
    softmax_attention,
    weight,
)

SERVED, ROWS = 12, 8
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Reference(Model):
    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        angle = angles(SERVED, SIZE)
        return joined(softmax_attention(rotate_halves(q, angle), rotate_halves(k, angle), v, SIZE**-0.5))


class Table(Model):
    def __init__(self, rows, **parameters):
        super().__init__(**parameters)
        self.register_buffer("cache", angles(rows, SIZE))

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        angle = self.cache.index_select(0, torch.arange(SERVED))  # faulty
        return joined(fused_attention(rotate_halves_apart(q, angle), rotate_halves_apart(k, angle), v))


def reference():
    return Reference(**WEIGHTS), inputs(SERVED, WIDTH)


def correct():
    return Table(SERVED, **WEIGHTS), inputs(SERVED, WIDTH)


def buggy():
    return Table(ROWS, **WEIGHTS), inputs(SERVED, WIDTH)
