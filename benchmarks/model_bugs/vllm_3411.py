"""vLLM 3411: Gemma's GELU is the approximation by tanh; the exact one was called."""

import math

import torch
import torch.nn.functional as F
from parts import WIDTH, Model, inputs, weight

INNER = 24
GATE, UP, DOWN = weight("gate", INNER, WIDTH), weight("up", INNER, WIDTH), weight("down", WIDTH, INNER)


class Reference(Model):
    def forward(self, x):
        return F.linear(F.gelu(F.linear(x, self.gate), approximate="tanh") * F.linear(x, self.up), self.down)


class Merged(Model):
    def __init__(self, activation, **parameters):
        super().__init__(**parameters)
        self.activation = activation

    def forward(self, x):
        gate, up = F.linear(x, self.gate_up).chunk(2, -1)
        return F.linear(self.activation(gate) * up, self.down)  # faulty


def by_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def reference():
    return Reference(gate=GATE, up=UP, down=DOWN), inputs()


def correct():
    return Merged(by_tanh, gate_up=torch.cat((GATE, UP)), down=DOWN), inputs()


def buggy():
    return Merged(F.gelu, gate_up=torch.cat((GATE, UP)), down=DOWN), inputs()
