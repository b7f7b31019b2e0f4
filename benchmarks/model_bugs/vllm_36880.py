"""vLLM 36880: Qwen scales queries beyond the training length by the logarithm of their position; it was not done."""

import math

import torch
from parts import HEADS, QUERY, SIZE, WIDTH, Model, fused_attention, heads, inputs, joined, softmax_attention, weight

TOKENS, TRAINED = 8, 4
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Reference(Model):
    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        table = torch.tensor([math.log(t, TRAINED) if t > TRAINED else 1.0 for t in range(1, TOKENS + 1)])
        return joined(softmax_attention(q * table[:, None], k, v, SIZE**-0.5))  # missing


class Written(Model):
    def __init__(self, scaled, **parameters):
        super().__init__(**parameters)
        self.scaled = scaled

    def forward(self, x):
        q, k, v = (heads(torch.nn.functional.linear(x, w), HEADS) for w in (self.q, self.k, self.v))
        if self.scaled:
            position = torch.arange(1, TOKENS + 1).float()
            q = q * torch.where(position > TRAINED, position.log() / math.log(TRAINED), 1.0)[:, None]
        return joined(fused_attention(q, k, v))


def reference():
    return Reference(**WEIGHTS), inputs(TOKENS, WIDTH)


def correct():
    return Written(True, **WEIGHTS), inputs(TOKENS, WIDTH)


def buggy():
    return Written(False, **WEIGHTS), inputs(TOKENS, WIDTH)
