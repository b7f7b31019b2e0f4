"""vLLM 6220: Gemma 2 limits even layers to a window of keys; it was dropped. Scores are capped by tanh."""

import torch
from parts import GROUPS, HEADS, KEY, OUTPUT, QUERY, SIZE, WIDTH, Model, heads, inputs, joined, weight

TOKENS, WINDOW, CAP, LAYERS = 8, 3, 5.0, 2


def _weights():
    shapes = {"q": QUERY, "k": KEY, "v": KEY, "o": OUTPUT}
    return {f"{n}{layer}": weight(f"{n}{layer}", *s) for n, s in shapes.items() for layer in range(LAYERS)}


class Layers(Model):
    def __init__(self, windows, tiled, **parameters):
        super().__init__(**parameters)
        self.windows, self.tiled = windows, tiled

    def forward(self, x):
        for layer, window in enumerate(self.windows):
            q, k, v, o = (getattr(self, f"{n}{layer}") for n in "qkvo")
            x = x + self.attend(x, q, k, v, window) @ o.T
        return x

    def attend(self, x, q, k, v, window):
        q, k, v = heads(x @ q.T, HEADS), heads(x @ k.T, GROUPS), heads(x @ v.T, GROUPS)
        row, column = torch.arange(TOKENS)[:, None], torch.arange(TOKENS)
        hidden = column > row
        if window is not None:
            hidden = hidden | (row - column >= window)  # missing
        if self.tiled:
            q = q.unflatten(0, (GROUPS, HEADS // GROUPS))
            scores = torch.einsum("gnqd,gkd->gnqk", q, k) / SIZE**0.5
            allowed = (torch.tanh(scores / CAP) * CAP).masked_fill(hidden, float("-inf")).softmax(-1)
            return joined(torch.einsum("gnqk,gkd->gnqd", allowed, v).flatten(0, 1))
        k, v = (t.repeat_interleave(HEADS // GROUPS, 0) for t in (k, v))
        scores = torch.tanh(q @ k.transpose(-1, -2) * SIZE**-0.5 / CAP) * CAP
        return joined(torch.where(hidden, float("-inf"), scores).softmax(-1) @ v)


def reference():
    return Layers((WINDOW, None), False, **_weights()), inputs(TOKENS, WIDTH)


def correct():
    return Layers((WINDOW, None), True, **_weights()), inputs(TOKENS, WIDTH)


def buggy():
    return Layers((None, None), True, **_weights()), inputs(TOKENS, WIDTH)
