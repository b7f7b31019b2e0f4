"""vLLM 36565: GPT-BigCode's unscaled attention got the scale of a head; one head of keys serves all queries."""

import torch
from parts import HEADS, OUTPUT, SIZE, WIDTH, Model, heads, inputs, joined, softmax_attention, weight

ROWS = (HEADS * SIZE, SIZE, SIZE)
MERGED, OUT = weight("mqa", sum(ROWS), WIDTH), weight("mqa out", *OUTPUT)


class Reference(Model):
    def forward(self, x):
        q, k, v = (x @ self.c_attn.T).split(ROWS, -1)
        return joined(softmax_attention(heads(q, HEADS), k[None], v[None], 1.0)) @ self.c_proj.T


class Separate(Model):
    def __init__(self, scale, **parameters):
        super().__init__(**parameters)
        self.scale = scale

    def forward(self, x):
        q = heads(torch.nn.functional.linear(x, self.q), HEADS)
        k, v = torch.nn.functional.linear(x, self.kv).split(SIZE, -1)
        k, v = (t.expand(HEADS, -1, -1) for t in (k, v))
        made = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.scale)  # faulty
        return torch.nn.functional.linear(joined(made), self.c_proj)


def _separate(scale):
    return Separate(scale, q=MERGED[: ROWS[0]], kv=MERGED[ROWS[0] :], c_proj=OUT), inputs()


def reference():
    return Reference(c_attn=MERGED, c_proj=OUT), inputs()


def correct():
    return _separate(1.0)


def buggy():
    return _separate(SIZE**-0.5)
