"""transformers 44380: GPT-2 divides scores by the number of the layer where its configuration says so; attention by
PyTorch's op always had the scale of a head alone."""

import torch.nn.functional as F
from parts import HEADS, OUTPUT, QUERY, SIZE, Model, fused_attention, heads, inputs, joined, softmax_attention, weight

LAYERS = 3


def _weights():
    shapes = {"q": QUERY, "k": QUERY, "v": QUERY, "o": OUTPUT}
    return {f"{n}{layer}": weight(f"gpt {n}{layer}", *s) for n, s in shapes.items() for layer in range(LAYERS)}


class Layers(Model):
    def __init__(self, attend, **parameters):
        super().__init__(**parameters)
        self.attend = attend

    def forward(self, x):
        for layer in range(LAYERS):
            q, k, v = (heads(x @ getattr(self, f"{n}{layer}").T, HEADS) for n in "qkv")
            x = x + joined(self.attend(q, k, v, layer)) @ getattr(self, f"o{layer}").T
        return x


def reference():
    return Layers(lambda q, k, v, n: softmax_attention(q, k, v, SIZE**-0.5 / (n + 1)), **_weights()), inputs()


def correct():
    return Layers(lambda q, k, v, n: fused_attention(q, k, v, SIZE**-0.5 / (n + 1)), **_weights()), inputs()


def scaled_by_head(q, k, v, layer):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)  # faulty


def buggy():
    return Layers(scaled_by_head, **_weights()), inputs()
