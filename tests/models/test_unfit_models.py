"""Models that cannot be compared: each is refused with the line that is to blame and what helps; `torch.cond`, which
the help names, is decided."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from hecv.capture.capture_worker import Rejected, capture_file
from hecv.parameters.captured_model import CapturedGraph, Failure
from hecv.torch.graph_capture import capture_graph

from .test_relations import decide

FILE = """
import torch
from torch import nn

class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
    def forward(self, x):
        return self.linear(x)

def of(forward, *arguments):
    module = Linear()
    module.forward = lambda *x: forward(module.linear(x[0]))
    return module.eval(), arguments or (torch.ones(2, 3),)

def branch():
    def forward(y):
        if y.sum() > 0:  # here
            y = y * 2
        return y
    return of(forward)

def loop():
    def forward(y):
        for _ in range(int(y.abs().sum())):  # here
            y = y + 1
        return y
    return of(forward)

def size():
    return of(lambda y: y.new_zeros(int(y.abs().sum())))  # here

def masked():
    return of(lambda y: y[y > 0])  # here

def outside():
    return of(lambda y: torch.from_numpy(y.numpy() + 1))  # here

def shapes():
    return of(lambda y: y.reshape(5, 5))  # here

def several():  # here
    return Linear(), (torch.ones(2, 3), torch.ones(2, 3))

def nothing():  # here
    return Linear(), ()

def one_class():  # here
    return Linear, (torch.ones(2, 3),)

def takes(number):  # here
    return Linear(), (torch.ones(2, 3),)

def no_pair():  # here
    return Linear()
"""


def refusal(tmp_path: Path, function: str) -> Failure:
    file = tmp_path / "unfit.py"
    file.write_text(FILE, encoding="utf-8")
    try:
        found = capture_file(str(file), function, "graph")
    except Rejected as problem:
        found = problem.failure
    assert isinstance(found, Failure)
    return found


@pytest.mark.parametrize(
    ("function", "text", "hint"),
    [
        ("branch", "control flow depends on the values of tensors", "torch.cond"),
        ("loop", "control flow depends on the values of tensors", "loops of a fixed number"),
        ("size", "depends on the values of tensors", ""),
        ("masked", "the size of a tensor depends on values", ""),
        ("outside", "values of tensors leave torch", "functions of torch"),
        ("shapes", "shape '[5, 5]' is invalid", ""),
        ("several", "takes 2 positional arguments but 3 were given", ""),
        ("nothing", "missing 1 required positional argument", ""),
        ("one_class", "returns the class `Linear`", "Linear(...)"),
        ("takes", "called without arguments: missing a required argument: 'number'", "def model(): return takes(...)"),
        ("no_pair", "does not return a model and its arguments", "(module, example_args)"),
    ],
)
def test_a_model_that_is_refused(tmp_path: Path, function: str, text: str, hint: str) -> None:
    found = refusal(tmp_path, function)
    assert text in found.text, found
    assert hint in (found.help or ""), found
    before, _, after = FILE.partition(f"def {function}(")
    assert found.line == before.count("\n") + after[: after.index("# here")].count("\n") + 1


# torch.cond

X = torch.linspace(-1, 1, 6).reshape(2, 3)
IDS = torch.tensor([1, 4, 2])


class Module(nn.Module):
    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.table, self.compute = nn.Linear(3, 3), nn.Parameter(torch.randn(9, 3)), compute

    def forward(self, *x: torch.Tensor) -> Any:
        return self.compute(self, *x)


def verdict(source: Callable[..., Any], target: Callable[..., Any], *given: torch.Tensor) -> str:
    given = given or (X,)
    return decide(lambda: (Module(source).eval(), given), lambda: (Module(target).eval(), given)).verdict


def chosen(m: Any, x: torch.Tensor) -> Any:
    y = m.linear(x)
    return torch.cond(y.sum() > 0, lambda y: y.tanh(), lambda y: 2 * y, (y,))


def nested(m: Any, x: torch.Tensor) -> Any:
    y = m.linear(x)

    def negative(y: torch.Tensor) -> torch.Tensor:
        return torch.cond(y[0, 0] > 1, lambda y: y + y, lambda y: y * 2, (y,))

    return torch.cond((y.sum() > 0).reshape(1), lambda y: y.tanh(), negative, (y,))


@pytest.mark.parametrize("source", [chosen, nested])
def test_a_choice_between_two_functions(source: Callable[..., Any]) -> None:
    def selected(m: Any, x: torch.Tensor) -> torch.Tensor:
        y = m.linear(x)
        return torch.where(y.sum() > 0, y.tanh(), y + y)

    def other_condition(m: Any, x: torch.Tensor) -> torch.Tensor:
        y = m.linear(x)
        return torch.where(y.sum() < 0, y.tanh(), y + y)

    def other_function(m: Any, x: torch.Tensor) -> Any:
        y = m.linear(x)
        return torch.cond(y.sum() > 0, lambda y: y.tanh(), lambda y: 2.5 * y, (y,))

    assert verdict(source, selected) == verdict(selected, source) == "equivalent"
    assert verdict(source, other_condition) == "not-equivalent"
    assert verdict(source, other_function) != "equivalent"


def test_a_look_up_that_is_not_always_taken() -> None:
    """The function that is not taken may look up what is beyond the table: nothing is known of its index."""

    def careful(m: Any, i: torch.Tensor) -> Any:
        return torch.cond(i.max() < 9, lambda i: m.table[i], lambda i: m.table[i.clamp(max=8)], (i,))

    found = capture_graph(Module(careful).eval(), (IDS,), "careful")
    assert isinstance(found, Failure), "never equivalent to a look-up that stops"
    assert "reads integers" in found.text
    assert found.line > 0


# NaN


def _lost(m: Any, x: torch.Tensor) -> torch.Tensor:
    return torch.log(-m.linear(x).abs() - 1)


def warnings(source: Callable[..., Any], target: Callable[..., Any]) -> tuple[str, list[str]]:
    report = decide(lambda: (Module(source).eval(), (X,)), lambda: (Module(target).eval(), (X,)))
    return report.verdict, [d.name for d in report.diagnostics]


def test_results_that_are_no_numbers() -> None:
    assert warnings(_lost, _lost) == ("equivalent", ["result-undefined"])
    assert warnings(lambda m, x: m.linear(x), lambda m, x: m.linear(x))[1] == []
    assert warnings(lambda m, x: m.linear(x), _lost)[0] == "not-equivalent"
    assert warnings(_lost, lambda m, x: m.linear(x))[0] == "not-equivalent"
    other = warnings(_lost, lambda m, x: torch.log(-m.linear(x).abs() - 2))
    assert other[0] != "equivalent", "NaN in all runs shows nothing"


def test_a_graph_without_a_choice_is_captured() -> None:
    assert isinstance(capture_graph(Module(chosen).eval(), (X,), "chosen"), CapturedGraph)
