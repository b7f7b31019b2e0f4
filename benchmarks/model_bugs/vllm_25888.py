"""vLLM 25888: a rotary table of complex numbers was cast to the real type of the query, which keeps the cosine
alone."""

import torch
from parts import (
    HEADS,
    QUERY,
    SIZE,
    TOKENS,
    Model,
    angles,
    fused_attention,
    heads,
    inputs,
    joined,
    rotate_pairs,
    rotate_pairs_as_complex,
    softmax_attention,
    weight,
)

WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Attention(Model):
    def __init__(self, rotate, attend, **parameters):
        super().__init__(**parameters)
        self.rotate, self.attend = rotate, attend

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        angle = angles(TOKENS, SIZE)
        return joined(self.attend(self.rotate(q, angle), self.rotate(k, angle), v))


def real_part(x, angle):
    return (x.unflatten(-1, (-1, 2)) * torch.stack((angle.cos(), angle.cos()), -1)).flatten(-2)  # faulty


def reference():
    return Attention(rotate_pairs, lambda q, k, v: softmax_attention(q, k, v, SIZE**-0.5), **WEIGHTS), inputs()


def correct():
    return Attention(rotate_pairs_as_complex, fused_attention, **WEIGHTS), inputs()


def buggy():
    return Attention(real_part, fused_attention, **WEIGHTS), inputs()
