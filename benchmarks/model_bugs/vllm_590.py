"""vLLM 590: GPT-J rotates neighbours; halves were rotated, by the same angles."""

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

ROTATED = 2
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


def partly(rotate, x, angle):
    """The first elements rotated; the rest passes through."""
    return torch.cat((rotate(x[..., : 2 * ROTATED], angle), x[..., 2 * ROTATED :]), -1)


class Attention(Model):
    def __init__(self, rotate, attend, **parameters):
        super().__init__(**parameters)
        self.rotate, self.attend = rotate, attend

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS // 2) for w in (self.q, self.k, self.v))
        angle = angles(TOKENS, 2 * ROTATED)
        return joined(self.attend(partly(self.rotate, q, angle), partly(self.rotate, k, angle), v))


def halves(x, angle):
    first, second = x.chunk(2, -1)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)  # faulty


def _written_out(q, k, v):
    return softmax_attention(q, k, v, (2 * SIZE) ** -0.5)


def reference():
    return Attention(rotate_pairs, _written_out, **WEIGHTS), inputs()


def correct():
    return Attention(rotate_pairs_as_complex, fused_attention, **WEIGHTS), inputs()


def buggy():
    return Attention(halves, fused_attention, **WEIGHTS), inputs()
