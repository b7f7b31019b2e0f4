"""vLLM 8017: InternLM2's merged weight has its rows by key group; shards of it were cut as if they were [QUERY | KEY |
V]."""

import torch
from parts import GROUPS, HEADS, OUTPUT, SIZE, WIDTH, Model, fused_attention, inputs, joined, softmax_attention, weight

RANKS, EACH = 2, HEADS // GROUPS
MERGED = weight("wqkv", (HEADS + 2 * GROUPS) * SIZE, WIDTH)
OUT = weight("wo", *OUTPUT)


def apart(x, w, groups):
    """Query, key and value of a weight whose rows are, for each group, its queries, its key, its value."""
    y = (x @ w.T).unflatten(-1, (groups, EACH + 2, SIZE))  # faulty
    q, k, v = y.split([EACH, 1, 1], -2)
    return (t.flatten(-3, -2).transpose(-3, -2) for t in (q, k, v))


class Reference(Model):
    def forward(self, x):
        q, k, v = apart(x, self.wqkv, GROUPS)
        return joined(softmax_attention(q, k, v, SIZE**-0.5)) @ self.wo.T


class Ranks(Model):
    def forward(self, x):
        found = 0
        for r in range(RANKS):
            q, k, v = apart(x, getattr(self, f"wqkv_{r}"), GROUPS // RANKS)
            found = found + joined(fused_attention(q, k, v)) @ getattr(self, f"wo_{r}").T
        return found


def _out():
    return {f"wo_{r}": part for r, part in enumerate(OUT.chunk(RANKS, 1))}


def reference():
    return Reference(wqkv=MERGED, wo=OUT), inputs()


def correct():
    return Ranks(**{f"wqkv_{r}": part for r, part in enumerate(MERGED.chunk(RANKS))}, **_out()), inputs()


def buggy():
    q, k, v = MERGED.split([HEADS * SIZE, GROUPS * SIZE, GROUPS * SIZE])
    parts = [torch.cat([t.chunk(RANKS)[r] for t in (q, k, v)]) for r in range(RANKS)]
    return Ranks(**{f"wqkv_{r}": part for r, part in enumerate(parts)}, **_out()), inputs()
