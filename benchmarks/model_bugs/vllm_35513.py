"""vLLM 35513: OLMoE clips queries, keys and values after the norm; nothing was clipped. Clipping before the norm
(`buggy_before`) is wrong too."""

from parts import (
    HEADS,
    QUERY,
    SIZE,
    Model,
    fused_attention,
    heads,
    inputs,
    joined,
    near_one,
    rms_norm,
    softmax_attention,
    weight,
)

LIMIT = 0.75
WEIGHTS = {"q": weight("q", *QUERY), "k": weight("k4", *QUERY), "v": weight("v4", *QUERY)}
NORMS = {"q_norm": near_one("q norm", QUERY[0]), "k_norm": near_one("k norm", QUERY[0])}


class Attention(Model):
    def __init__(self, attend, clip, before=False, **parameters):
        super().__init__(**parameters)
        self.attend, self.clip, self.before = attend, clip, before

    def forward(self, x):
        q, k, v = (x @ w.T for w in (self.q, self.k, self.v))
        if self.before:
            q, k, v = (self.clip(t) for t in (q, k, v))
        q, k = rms_norm(q, self.q_norm), rms_norm(k, self.k_norm)
        if not self.before:
            q, k, v = (self.clip(t) for t in (q, k, v))
        return joined(self.attend(*(heads(t, HEADS) for t in (q, k, v))))


def _clamped(x):
    return x.clamp(-LIMIT, LIMIT)  # missing


def _limited(x):
    return x.clamp_max(LIMIT).clamp_min(-LIMIT)  # faulty


def reference():
    attend = lambda q, k, v: softmax_attention(q, k, v, SIZE**-0.5)  # noqa: E731
    return Attention(attend, _clamped, **WEIGHTS, **NORMS), inputs()


def correct():
    return Attention(fused_attention, _limited, **WEIGHTS, **NORMS), inputs()


def buggy():
    return Attention(fused_attention, lambda x: x, **WEIGHTS, **NORMS), inputs()


def buggy_before():
    return Attention(fused_attention, _limited, True, **WEIGHTS, **NORMS), inputs()
