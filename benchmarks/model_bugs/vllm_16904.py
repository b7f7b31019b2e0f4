"""vLLM 16904: GLM rotates the first half of a head; the shared rotary object, made for whole heads, was changed once
a layer. What that computes depends on the path: whole heads (`buggy`), no rotation at all (`buggy_none`), or the
first half by the angles of whole heads (`buggy_angles`)."""

import torch
from parts import HEADS, QUERY, TOKENS, Model, fused_attention, heads, inputs, joined, softmax_attention, weight

SIZE = 8
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Attention(Model):
    def __init__(self, rotate, attend, rotated, of, **parameters):
        super().__init__(**parameters)
        self.rotate, self.attend, self.rotated, self.of = rotate, attend, rotated, of

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS // 2) for w in (self.q, self.k, self.v))
        frequency = 10000.0 ** (-torch.arange(0, self.of, 2) / self.of)  # faulty
        angle = torch.arange(TOKENS)[:, None] * frequency[: self.rotated // 2]
        return joined(self.attend(*(self._turned(t, angle) for t in (q, k)), v))

    def _turned(self, x, angle):
        if not self.rotated:
            return x
        return torch.cat((self.rotate(x[..., : self.rotated], angle), x[..., self.rotated :]), -1)


def pairs(x, angle):
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    return torch.stack((even * cos - odd * sin, odd * cos + even * sin), -1).flatten(-2)  # missing


def complex_pairs(x, angle):
    turned = x.unflatten(-1, (-1, 2))[..., None, :] * torch.stack((angle.cos(), angle.sin()), -1)[..., None]
    real = turned[..., 0, 0] - turned[..., 1, 1]
    return torch.stack((real, turned[..., 0, 1] + turned[..., 1, 0]), -1).flatten(-2)


def reference():
    attend = lambda q, k, v: softmax_attention(q, k, v, SIZE**-0.5)  # noqa: E731
    return Attention(pairs, attend, SIZE // 2, SIZE // 2, **WEIGHTS), inputs()


def correct():
    return Attention(complex_pairs, fused_attention, SIZE // 2, SIZE // 2, **WEIGHTS), inputs()


def buggy():
    return Attention(complex_pairs, fused_attention, SIZE, SIZE, **WEIGHTS), inputs()


def buggy_none():
    return Attention(complex_pairs, fused_attention, 0, SIZE, **WEIGHTS), inputs()


def buggy_angles():
    return Attention(complex_pairs, fused_attention, SIZE // 2, SIZE, **WEIGHTS), inputs()
