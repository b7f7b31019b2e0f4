"""vLLM 2059: in a step of decoding the position came from the number of keys that Mistral's window admits, not from
the number of tokens so far."""

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
    rotate_halves_apart,
    weight,
)

CACHED, WINDOW = 7, 4
CACHE = {"keys": weight("keys", HEADS, CACHED, SIZE), "values": weight("values", HEADS, CACHED, SIZE)}


class Step(Model):
    def __init__(self, rotate, clamped, whole, **parameters):
        super().__init__(**parameters)
        self.rotate, self.clamped, self.whole = rotate, clamped, whole

    def forward(self, x, keys, values):
        count = keys.shape[-2]
        admitted = min(count, WINDOW)
        position = torch.full((1,), float(admitted if self.clamped else count) - 1)  # faulty
        q = self.rotate(heads(x @ self.q.T, HEADS), position[:, None] * frequencies(SIZE))
        scores = q @ keys.transpose(-1, -2) * SIZE**-0.5
        if self.whole:
            late = torch.arange(count) >= count - admitted
            return joined(scores.masked_fill(~late, float("-inf")).softmax(-1) @ values)
        return joined(scores[..., count - admitted :].softmax(-1) @ values[..., count - admitted :, :])


def _call(rotate, clamped, whole):
    return Step(rotate, clamped, whole, q=weight("q", *QUERY)), (*inputs(1, WIDTH), CACHE["keys"], CACHE["values"])


def reference():
    return _call(rotate_halves, False, True)


def correct():
    return _call(rotate_halves_apart, False, False)


def buggy():
    return _call(rotate_halves_apart, True, False)
