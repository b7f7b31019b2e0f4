"""vLLM 27414: Phi-3.5's LongRoPE has factors for short and for long contexts. Keys that were written before the
context grew long kept the short ones; the query behind them used the long ones."""

import math

import torch
from parts import (
    HEADS,
    QUERY,
    SIZE,
    WIDTH,
    Model,
    frequencies,
    heads,
    inputs,
    joined,
    rotate_halves,
    softmax_attention,
    weight,
)

TOKENS, ORIGINAL, LONGEST = 8, 5, 32
SHORT, LONG = torch.tensor([1.0, 1.25]), torch.tensor([1.5, 4.0])
SCALE = math.sqrt(1 + math.log(LONGEST / ORIGINAL) / math.log(ORIGINAL))
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


def angles_of(count, factors):
    return torch.arange(count).float()[:, None] * (frequencies(SIZE) / factors)


class Reference(Model):
    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        angle = angles_of(TOKENS, LONG if TOKENS > ORIGINAL else SHORT)
        q, k = (rotate_halves(t, angle) * SCALE for t in (q, k))
        return joined(softmax_attention(q, k, v, SIZE**-0.5))


class Stacked(Model):
    """Both tables, one behind the other; each position picks its row."""

    def __init__(self, of_all, **parameters):
        super().__init__(**parameters)
        self.of_all = of_all

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        tables = torch.cat((angles_of(ORIGINAL, SHORT), angles_of(LONGEST, LONG)))
        positions = torch.arange(TOKENS)
        beyond = torch.ones(TOKENS, dtype=torch.bool) if self.of_all else positions >= ORIGINAL  # faulty
        angle = tables[positions + ORIGINAL * beyond.long()]
        cos, sin = angle.cos(), angle.sin()
        (q_1, q_2), (k_1, k_2) = q.chunk(2, -1), k.chunk(2, -1)
        q = torch.cat((q_1 * cos - q_2 * sin, q_2 * cos + q_1 * sin), -1) * SCALE
        k = torch.cat((k_1 * cos - k_2 * sin, k_2 * cos + k_1 * sin), -1) * SCALE
        return joined(softmax_attention(q, k, v, SIZE**-0.5))


def reference():
    return Reference(**WEIGHTS), inputs(TOKENS, WIDTH)


def correct():
    return Stacked(True, **WEIGHTS), inputs(TOKENS, WIDTH)


def buggy():
    return Stacked(False, **WEIGHTS), inputs(TOKENS, WIDTH)
