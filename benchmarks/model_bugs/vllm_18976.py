"""vLLM 18976: the names of Qwen2-VL's checkpoint were mapped to modules that do not exist, so a weight was never
loaded."""

import torch.nn.functional as F
from parts import WIDTH, Model, inputs, weight

UP, DOWN = weight("up", 24, WIDTH), weight("down", WIDTH, 24)


class Reference(Model):
    def forward(self, x):
        return F.linear(F.silu(F.linear(x, self.up)), self.down)


class Written(Model):
    def forward(self, x):
        h = x @ self.up_proj.T
        return (h * h.sigmoid()) @ self.down_proj.T


def reference():
    return Reference(up=UP, down=DOWN), inputs()


def correct():
    return Written(up_proj=UP, down_proj=DOWN), inputs()


def buggy():
    return Written(up_proj=weight("never loaded", 24, WIDTH), down_proj=DOWN), inputs()
