"""Parameters of one model in one tensor of the other: stacked along whatever dimension, transposed before, with their
biases, as mixtures of experts and models with their layers in one tensor have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from .test_relations import decide

Model = tuple[nn.Module, tuple[Any, ...]]
EXPERTS, WIDE, NARROW = 3, 6, 4
X = torch.linspace(-1, 1, 5 * NARROW).reshape(5, NARROW)


class Experts(nn.Module):
    """Linear layers, weighed by what a router says."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.router = nn.Linear(NARROW, EXPERTS)
        self.experts = nn.ModuleList(nn.Linear(NARROW, WIDE) for _ in range(EXPERTS))

    def expert(self, x: torch.Tensor, k: int) -> torch.Tensor:
        return self.experts[k](x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = self.router(x).softmax(-1)
        return sum((weights[:, k, None] * self.expert(x, k).tanh() for k in range(EXPERTS)), torch.zeros(()))


class Stacked(Experts):
    """The same; `order` has the dimensions of [expert, wide, narrow]. One expert may be another one's."""

    def __init__(self, order: tuple[int, ...], wrong: tuple[int, ...] = (0, 1, 2)) -> None:
        super().__init__()
        weight = torch.stack([e.weight.detach() for e in self.experts]).permute(order)
        self.weight = nn.Parameter(weight.contiguous())
        self.bias = nn.Parameter(torch.stack([e.bias.detach() for e in self.experts]))
        self.back, self.wrong = tuple(order.index(d) for d in range(3)), wrong
        del self.experts

    def expert(self, x: torch.Tensor, k: int) -> torch.Tensor:
        return x @ self.weight.permute(self.back)[self.wrong[k]].T + self.bias[k]


def separate() -> Model:
    return Experts().eval(), (X,)


def stacked(order: tuple[int, ...], wrong: tuple[int, ...] = (0, 1, 2)) -> Callable[[], Model]:
    return lambda: (Stacked(order, wrong).eval(), (X,))


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 1, 0), (1, 0, 2)])
def test_stacked(order: tuple[int, ...]) -> None:
    report = decide(separate, stacked(order))
    assert report.verdict == "equivalent", report


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0)])
def test_taken_from_a_stack(order: tuple[int, ...]) -> None:
    report = decide(stacked(order), separate)
    assert report.verdict == "equivalent", report
    text = next(a.text for a in report.assumptions if a.text.startswith("parameters are related"))
    assert all(f"experts.{k}.bias = " in text for k in range(EXPERTS)), "layers of other parts are told apart"


@pytest.mark.parametrize("wrong", [(1, 0, 2), (0, 1, 1)])
def test_another_expert(wrong: tuple[int, ...]) -> None:
    assert decide(separate, stacked((0, 2, 1), wrong)).verdict == "not-equivalent"
    assert decide(stacked((0, 1, 2), wrong), separate).verdict == "not-equivalent"


def test_one_stack_and_another() -> None:
    assert decide(stacked((0, 1, 2)), stacked((1, 2, 0))).verdict == "equivalent"
    assert decide(stacked((0, 1, 2)), stacked((1, 2, 0), (2, 1, 0))).verdict == "not-equivalent"
