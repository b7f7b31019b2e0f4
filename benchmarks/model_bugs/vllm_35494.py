"""vLLM 35494: PhiMoE's router masks experts within a tolerance of the best; the tolerance of the configuration was
not read."""

import torch
from parts import WIDTH, Model, inputs, weight

EXPERTS, INNER, TOKENS = 6, 8, 12
GIVEN, FIXED = 0.2, 0.01
WEIGHTS = {
    "router": weight("router", EXPERTS, WIDTH),
    "up": weight("experts up", EXPERTS, INNER, WIDTH),
    "down": weight("experts down", EXPERTS, WIDTH, INNER),
}


def picked(scores, eps, taken=None):
    """The best expert that is left, as one-hot rows, and its weight among those near it."""
    left = scores if taken is None else scores.masked_fill(taken > 0, float("-inf"))
    best = left.amax(-1, keepdim=True)
    chosen = (left == best).to(scores.dtype)
    far = (best - scores) / torch.maximum(scores.abs(), best) > 2 * eps  # faulty
    weights = left.masked_fill(far, float("-inf")).softmax(-1)
    return chosen, (weights * chosen).sum(-1, keepdim=True)


class Batched(Model):
    """All experts on all tokens, weighted."""

    def __init__(self, eps, **parameters):
        super().__init__(**parameters)
        self.eps = eps

    def forward(self, x):
        scores = x @ self.router.T
        first, one = picked(scores, self.eps)
        second, two = picked(scores, self.eps, first)
        gates = first * one + second * two
        hidden = torch.einsum("td,eid->tei", x, self.up).relu()
        return torch.einsum("tei,edi,te->td", hidden, self.down, gates)


class Looped(Batched):
    """One expert after the other."""

    def forward(self, x):
        scores = torch.nn.functional.linear(x, self.router)
        first, one = picked(scores, self.eps)
        second, two = picked(scores, self.eps, first)
        gates = first * one + second * two
        found = torch.zeros_like(x)
        for expert in range(EXPERTS):
            made = (x @ self.up[expert].T).relu() @ self.down[expert].T
            found = found + gates[:, expert, None] * made
        return found


def reference():
    return Batched(GIVEN, **WEIGHTS), inputs(TOKENS, WIDTH)


def correct():
    return Looped(GIVEN, **WEIGHTS), inputs(TOKENS, WIDTH)


def buggy():
    return Looped(FIXED, **WEIGHTS), inputs(TOKENS, WIDTH)
