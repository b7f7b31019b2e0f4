"""vLLM 7880: a rank's shard of a GGUF head had rows for the whole vocabulary, the rest of them zero; gathered logits
were then cut to the size of the vocabulary."""

import torch
import torch.nn.functional as F
from parts import WIDTH, Model, inputs, weight

RANKS, WORDS = 2, 12
HEAD = weight("head", WORDS, WIDTH)


class Reference(Model):
    def forward(self, x):
        return F.linear(x, self.head)


class Ranks(Model):
    def __init__(self, padded, **parameters):
        super().__init__(**parameters)
        self.padded = padded

    def forward(self, x):
        found = []
        for r in range(RANKS):
            shard = getattr(self, f"head_{r}")
            if self.padded:
                shard = torch.cat((shard, torch.zeros(WORDS - WORDS // RANKS, WIDTH)))  # faulty
            found.append(x @ shard.T)
        return torch.cat(found, -1)[..., :WORDS]


def _shards():
    return {f"head_{r}": part for r, part in enumerate(HEAD.chunk(RANKS))}


def reference():
    return Reference(head=HEAD), inputs()


def correct():
    return Ranks(False, **_shards()), inputs()


def buggy():
    return Ranks(True, **_shards()), inputs()
