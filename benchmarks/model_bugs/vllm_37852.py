"""vLLM 37852: Phi's norms of queries and keys, head by head, were left out."""

import torch
import torch.nn.functional as F
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
    near_one,
    rotate_halves,
    rotate_halves_apart,
    softmax_attention,
    weight,
)

WEIGHTS = {
    **{"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)},
    **{"q_norm": near_one("q norm", SIZE), "k_norm": near_one("k norm", SIZE)},
    **{"q_bias": weight("q bias", SIZE), "k_bias": weight("k bias", SIZE)},
}


class Reference(Model):
    def forward(self, x):
        q, k, v = (heads(x @ w.T, HEADS) for w in (self.q, self.k, self.v))
        q = F.layer_norm(q, (SIZE,), self.q_norm, self.q_bias)  # missing
        k = F.layer_norm(k, (SIZE,), self.k_norm, self.k_bias)  # missing
        angle = angles(TOKENS, SIZE)
        return joined(softmax_attention(rotate_halves(q, angle), rotate_halves(k, angle), v, SIZE**-0.5))


class Written(Model):
    def __init__(self, normed, **parameters):
        super().__init__(**parameters)
        self.normed = normed

    def forward(self, x):
        q, k, v = (heads(F.linear(x, w), HEADS) for w in (self.q, self.k, self.v))
        if self.normed:
            q, k = self._norm(q, self.q_norm, self.q_bias), self._norm(k, self.k_norm, self.k_bias)
        angle = angles(TOKENS, SIZE)
        return joined(fused_attention(rotate_halves_apart(q, angle), rotate_halves_apart(k, angle), v))

    def _norm(self, x, w, b):
        center = x - x.mean(-1, keepdim=True)
        return center * torch.rsqrt((center * center).mean(-1, keepdim=True) + 1e-5) * w + b


def reference():
    return Reference(**WEIGHTS), inputs()


def correct():
    return Written(True, **WEIGHTS), inputs()


def buggy():
    return Written(False, **WEIGHTS), inputs()
