"""vLLM 37400: JAIS with learned positions got ALiBi's slopes too. The two spellings of ALiBi, by distance and by the
position of the key, are equal after softmax (`by_distance`, `by_position`)."""

import torch
from parts import (
    HEADS,
    QUERY,
    SIZE,
    TOKENS,
    WIDTH,
    Model,
    fused_attention,
    heads,
    inputs,
    joined,
    softmax_attention,
    weight,
)

WEIGHTS = {
    **{"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)},
    "wpe": weight("positions", TOKENS, WIDTH),
}


def slopes():
    return torch.tensor([2.0 ** (-2 * (h + 1)) for h in range(HEADS)])[:, None, None]


def distance():
    return slopes() * (torch.arange(TOKENS) - torch.arange(TOKENS)[:, None])


def position():
    return slopes() * torch.arange(TOKENS)


class Attention(Model):
    def __init__(self, attend, bias=None, **parameters):
        super().__init__(**parameters)
        self.attend, self.bias = attend, bias

    def forward(self, x):
        x = x + self.wpe
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        return joined(self.attend(q, k, v) if self.bias is None else self.attend(q, k, v, bias=self.bias()))


def _written_out(q, k, v, bias=None):
    return softmax_attention(q, k, v, SIZE**-0.5, bias)


def biased(q, k, v, bias):
    scores = q @ k.transpose(-1, -2) * SIZE**-0.5 + bias  # faulty
    later = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
    return scores.masked_fill(later, float("-inf")).softmax(-1) @ v


def reference():
    return Attention(_written_out, **WEIGHTS), inputs()


def correct():
    return Attention(fused_attention, **WEIGHTS), inputs()


def buggy():
    return Attention(biased, distance, **WEIGHTS), inputs()


def by_distance():
    return Attention(_written_out, distance, **WEIGHTS), inputs()


def by_position():
    return Attention(_written_out, position, **WEIGHTS), inputs()
