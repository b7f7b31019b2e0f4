"""vLLM 35402: GPT-2's `scale_attn_by_inverse_layer_idx` was not read; projections are merged, as a checkpoint has
them."""

import torch
from parts import (
    HEADS,
    OUTPUT,
    QUERY,
    SIZE,
    WIDTH,
    Model,
    heads,
    inputs,
    joined,
    softmax_attention,
    weight,
)

LAYERS = 2


def _parts(layer):
    return [weight(f"gpt {n}{layer}", *QUERY) for n in "qkv"]


class Separate(Model):
    def forward(self, x):
        for layer in range(LAYERS):
            y = torch.addmm(getattr(self, f"b{layer}"), x, getattr(self, f"w{layer}"))
            q, k, v = (heads(t, HEADS) for t in y.split(WIDTH, -1))
            x = x + joined(softmax_attention(q, k, v, SIZE**-0.5 / (layer + 1))) @ getattr(self, f"o{layer}").T
        return x


class Merged(Model):
    def __init__(self, by_layer, **parameters):
        super().__init__(**parameters)
        self.by_layer = by_layer

    def forward(self, x):
        for layer in range(LAYERS):
            y = torch.nn.functional.linear(x, getattr(self, f"qkv{layer}"), getattr(self, f"bias{layer}"))
            q, k, v = (t.view(-1, HEADS, SIZE).transpose(0, 1) for t in y.chunk(3, -1))
            scale = SIZE**-0.5 / (layer + 1 if self.by_layer else 1)
            made = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)  # faulty
            x = x + joined(made) @ getattr(self, f"o{layer}").T
        return x


def _merged(by_layer):
    given = {f"qkv{n}": torch.cat(_parts(n)) for n in range(LAYERS)}
    given |= {f"bias{n}": weight(f"bias{n}", 3 * WIDTH) for n in range(LAYERS)}
    return Merged(by_layer, **given, **{f"o{n}": weight(f"gpt o{n}", *OUTPUT) for n in range(LAYERS)}), inputs()


def reference():
    given = {f"w{n}": torch.cat(_parts(n)).T for n in range(LAYERS)}
    given |= {f"b{n}": weight(f"bias{n}", 3 * WIDTH) for n in range(LAYERS)}
    return Separate(**given, **{f"o{n}": weight(f"gpt o{n}", *OUTPUT) for n in range(LAYERS)}), inputs()


def correct():
    return _merged(True)


def buggy():
    return _merged(False)
