"""vLLM 3775: OLMo's merged gate was sharded by rows, so that one rank had all values and the other all gates."""

import torch
import torch.nn.functional as F
from parts import WIDTH, Model, inputs, weight

RANKS, INNER = 2, 24
FUSED, OUT = weight("ff", 2 * INNER, WIDTH), weight("out", WIDTH, INNER)


class Reference(Model):
    def forward(self, x):
        value, gate = (x @ self.ff.T).chunk(2, -1)
        return (F.silu(gate) * value) @ self.out.T


class Ranks(Model):
    def forward(self, x):
        found = 0
        for r in range(RANKS):
            value, gate = F.linear(x, getattr(self, f"ff_{r}")).chunk(2, -1)  # faulty
            found = found + F.linear(F.silu(gate) * value, getattr(self, f"out_{r}"))
        return found


def _ranks(parts):
    out = {f"out_{r}": part for r, part in enumerate(OUT.chunk(RANKS, 1))}
    return Ranks(**{f"ff_{r}": part for r, part in enumerate(parts)}, **out), inputs()


def reference():
    return Reference(ff=FUSED, out=OUT), inputs()


def correct():
    value, gate = (t.chunk(RANKS) for t in FUSED.chunk(2))
    return _ranks([torch.cat(pair) for pair in zip(value, gate, strict=True)])


def buggy():
    return _ranks(FUSED.chunk(RANKS))
