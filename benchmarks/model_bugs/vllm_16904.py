"""vLLM 16904: GLM rotates the first half of a head; the shared rotary object, made for whole heads, was changed once
a layer. What that computes depends on the path: whole heads (`buggy`), no rotation at all (`buggy_none`), or the
first half by the angles of whole heads (`buggy_angles`)."""

import torch
from parts import (
    HEADS,
    QUERY,
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

SIZE = 8
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}


class Attention(Model):
    def __init__(self, rotate, attend, rotated, of, **parameters):
        super().__init__(**parameters)
        self.rotate, self.attend, self.rotated, self.of = rotate, attend, rotated, of

    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS // 2) for w in (self.q, self.k, self.v))
        angle = angles(TOKENS, self.of)[:, : self.rotated // 2]
        return joined(self.attend(*(self._turned(t, angle) for t in (q, k)), v))

    def _turned(self, x, angle):
        if not self.rotated:
            return x
        return torch.cat((self.rotate(x[..., : self.rotated], angle), x[..., self.rotated :]), -1)


def reference():
    attend = lambda q, k, v: softmax_attention(q, k, v, SIZE**-0.5)  # noqa: E731
    return Attention(rotate_pairs, attend, SIZE // 2, SIZE // 2, **WEIGHTS), inputs()


def correct():
    return Attention(rotate_pairs_as_complex, fused_attention, SIZE // 2, SIZE // 2, **WEIGHTS), inputs()


def buggy():
    return Attention(rotate_pairs_as_complex, fused_attention, SIZE, SIZE, **WEIGHTS), inputs()


def buggy_none():
    return Attention(rotate_pairs_as_complex, fused_attention, 0, SIZE, **WEIGHTS), inputs()


def buggy_angles():
    return Attention(rotate_pairs_as_complex, fused_attention, SIZE // 2, SIZE, **WEIGHTS), inputs()
