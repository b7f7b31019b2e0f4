"""Models whose inputs and results stand in lists and dictionaries; what of them is no tensor or changes in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from hecv.base.diagnostics import InputError
from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.lowered_models import compare_models
from hecv.parameters.captured_model import Captured, Failure
from hecv.torch.torch_capture import capture

X = torch.arange(3.0) + 1
IN_ORDER = {"p": X, "q": [X * 2]}
OUT_OF_ORDER = {"q": [X * 2], "p": X}


class Written(nn.Module):
    """What a function computes."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, *given: Any) -> Any:
        return self.compute(self, *given)


@dataclass
class Pair:
    """What torch takes for a leaf."""

    first: torch.Tensor
    second: Any


class Own(dict[str, torch.Tensor]):
    """So does it a dictionary of a class that it does not know."""


class Slotted:
    """What it holds is no attribute that Python lists."""

    __slots__ = ("first",)
    first: torch.Tensor


def taken(compute: Callable[..., Any], *arguments: Any) -> Captured:
    found = capture(Written(compute), arguments)
    assert isinstance(found, Captured), found
    return found


def decide(source: Captured, target: Captured) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    return compare_models(("a.py:f", "b.py:f"), (source, target), None, options).report.functions[0]


@pytest.mark.one_in(2)
def test_tensors_in_a_list_are_inputs() -> None:
    source = taken(lambda _, xs: xs[0] + xs[1], [X, X * 2])
    assert [t.name for t in source.inputs()] == ["input0", "input1"]
    # It computes the same of the example, and of no other.
    assert decide(source, taken(lambda _, xs: 3 * xs[0], [X, X * 2])).verdict == "not-equivalent"
    assert decide(source, taken(lambda _, xs: xs[1] + xs[0], [X, X * 2])).verdict == "equivalent"


def test_inputs_in_a_dictionary_go_by_their_keys() -> None:
    source = taken(lambda _, d: d["p"] - d["q"][0], IN_ORDER)
    assert [t.name for t in source.inputs()] == ["input0.p", "input1.q"]
    assert decide(source, taken(lambda _, d: -d["q"][0] + d["p"], OUT_OF_ORDER)).verdict == "equivalent"
    assert decide(source, taken(lambda _, d: d["q"][0] - d["p"], OUT_OF_ORDER)).verdict == "not-equivalent"
    with pytest.raises(InputError) as caught:
        decide(source, taken(lambda _, d: d["p"] - d["r"], {"p": X, "r": X}))
    assert "inputs with the keys p, r, expected p, q" in caught.value.diagnostics[0].message


def test_results_in_a_dictionary_go_by_their_keys() -> None:
    source = taken(lambda _, x: {"p": x, "q": x + 1}, X)
    assert decide(source, taken(lambda _, x: {"q": x + 1, "p": x}, X)).verdict == "equivalent"
    assert decide(source, taken(lambda _, x: {"q": x, "p": x + 1}, X)).verdict == "not-equivalent"
    with pytest.raises(InputError) as caught:
        decide(source, taken(lambda _, x: {"p": x, "r": x + 1}, X))
    assert "results with the keys p, r, expected p, q" in caught.value.diagnostics[0].message


class Hidden(nn.Module):
    """It has a tensor as an attribute, and layers in a list, which torch does not look into."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.tensor(2.0)
        self.layers = [nn.Linear(3, 3, bias=False)]
        self.outer = self.again = nn.Linear(3, 3, bias=False)
        nn.init.eye_(self.layers[0].weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.again(self.layers[0](self.outer(x) * self.scale))


def test_tensors_that_are_no_parameters() -> None:
    torch.manual_seed(0)
    source = capture(Hidden(), (X,))
    assert isinstance(source, Captured)
    report = decide(source, source)
    assert report.verdict == "equivalent"
    assert [a.text for a in report.assumptions if a.id == "tensors-constant"] == [
        f"tensors of {name}.py:f that are neither parameters nor buffers keep the values that they have: "
        "layers.0.weight, scale"
        for name in "ab"
    ]


def test_what_is_no_tensor() -> None:
    source = taken(lambda _, x, k: x * k, X, 3)
    report = decide(source, taken(lambda _, x, k: x + x + x, X, 3))
    assert report.verdict == "equivalent"
    assert [a.text for a in report.assumptions if a.id == "arguments-constant"] == [
        "a.py:f is called with 3",
        "b.py:f is called with 3",
    ]
    with pytest.raises(InputError) as caught:
        decide(source, taken(lambda _, x, k: x * k, X, 4))
    assert "b.py:f is called with 4, expected 3" in caught.value.diagnostics[0].message
    with pytest.raises(InputError) as caught:
        decide(taken(lambda _, x: (x, 3), X), taken(lambda _, x: (x, 4), X))
    assert "beside tensors b.py:f returns 4, expected 3" in caught.value.diagnostics[0].message
    assert decide(taken(lambda _, x: (x, None), X), taken(lambda _, x: x, X)).verdict == "equivalent"


@pytest.mark.one_in(2)
def test_what_a_result_holds_as_attributes_is_compared() -> None:
    """They were results of the type's name alone."""
    source = taken(lambda _, x: Pair(x * 2, 1), X)
    assert [t.name for t in source.results] == ["result0.first"]
    assert decide(source, taken(lambda _, x: Pair(x + x, 1), X)).verdict == "equivalent"
    assert decide(source, taken(lambda _, x: Pair(x * 3, 1), X)).verdict == "not-equivalent"
    with pytest.raises(InputError) as caught:
        decide(source, taken(lambda _, x: Pair(x * 2, 2), X))
    assert "returns class='Pair', second=2, expected class='Pair', second=1" in caught.value.diagnostics[0].message
    own = taken(lambda _, x: Own(p=x), X)
    assert decide(own, taken(lambda _, x: Own(p=-x), X)).verdict == "not-equivalent"


def test_what_is_no_tensor_is_paired_by_keys() -> None:
    """The keys were those of tensors alone."""
    source = taken(lambda _, x: {"y": x * 2, "n": 1, "m": 2}, X)
    assert decide(source, taken(lambda _, x: {"m": 2, "n": 1, "y": x + x}, X)).verdict == "equivalent"
    with pytest.raises(InputError) as caught:
        decide(source, taken(lambda _, x: {"y": x * 2, "n": 1, "k": 2}, X))
    assert "beside tensors b.py:f returns k=2, n=1, expected m=2, n=1" in caught.value.diagnostics[0].message


def _refused(compute: Callable[..., Any], *arguments: Any, **buffers: torch.Tensor) -> str:
    module = Written(compute)
    for name, value in buffers.items():
        module.register_buffer(name, value)
    found = capture(module, arguments)
    assert isinstance(found, Failure)
    assert found.unsupported
    return found.text


def test_a_result_that_cannot_be_looked_into() -> None:
    def compute(_: Any, x: torch.Tensor) -> Slotted:
        made = Slotted()
        made.first = x * 2
        return made

    assert "the module returns a `Slotted`, and what is in it is not compared" in _refused(compute, X)


def test_a_number_that_is_computed_of_tensors() -> None:
    """`sum` is 6 of the example, and something else of another."""
    assert "returns 6.0 beside tensors" in _refused(lambda _, x: (x * 2, x.sum().item()), X)
    assert taken(lambda _, x: (x * 2, x.shape[0], 6.0), X).given == ("3", "6.0")


def test_keys_that_are_written_alike() -> None:
    given = {1: X, "1": X * 2}
    assert "several keys that are written alike" in _refused(lambda _, d: d[1] - d["1"], given)
    assert "several keys that are written alike" in _refused(lambda _, x: {1: x, "1": x}, X)


@pytest.mark.parametrize("kind", [torch.uint8, torch.complex64, torch.float8_e4m3fn])
def test_elements_that_have_no_counterpart(kind: torch.dtype) -> None:
    assert f"tensors of {kind} are not supported" in _refused(lambda _, x: x, torch.zeros(3).to(kind))
    assert f"tensors of {kind} are not supported" in _refused(lambda _, x: x.to(kind), X)


def _overwrites(_: Any, x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def _adds_nothing(_: Any, x: torch.Tensor) -> torch.Tensor:
    x.mul_(1)
    return x * 2


def _counts(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.b.add_(1)
    return x * 2


def _averages(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.b = 0.5 * module.b + 0.5 * x
    return x * 2


def _writes_data(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.b.data.mul_(2)
    return x * 2


def _counts_calls(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.n += 1
    return x * 2


def _keeps(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.cache = x * 3
    return x * 2


def _keeps_input(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.before = x * 1
    return x * 2


def _assigns_input(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.b = x * 0 + (x > 0)
    return x * 2


def _notes_sign(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.n = (x > 0).all().to(torch.int64) - 1
    return x * 2


def _appends(_: Any, x: torch.Tensor, kept: list[torch.Tensor]) -> torch.Tensor:
    kept.append(x * 3)
    return x * 2


def _fills(_: Any, x: torch.Tensor, kept: Pair) -> torch.Tensor:
    kept.second = x
    return x * 2


@pytest.mark.parametrize(
    ("compute", "given", "name"),
    [
        (_overwrites, (), "arguments.0"),
        (_adds_nothing, (), "arguments.0"),
        (_counts, (), "b"),
        (_averages, (), "b"),
        (_writes_data, (), "b"),
        (_counts_calls, (), "n"),
        (_keeps, (), "cache"),
        (_keeps_input, (), "before"),
        (_assigns_input, (), "b"),
        (_notes_sign, (), "n"),
        (_appends, ([X],), "arguments.1.1"),
        (_fills, (Pair(X, 1),), "arguments.1.second"),
    ],
)
def test_a_module_that_changes_what_it_is_given(compute: Callable[..., Any], given: tuple[Any, ...], name: str) -> None:
    """What it keeps for the next call would be another in a module that returns the same."""
    text = _refused(compute, X, *given, b=torch.ones(3), n=torch.zeros((), dtype=torch.int64), before=X * 1)
    assert text == f"the module changes {name}, and what is left there is not compared"


RANDOM = "the module draws random numbers: for dropout, call .eval() first"


def test_a_module_that_draws_random_numbers() -> None:
    assert _refused(lambda _, x: torch.dropout(x, 0.5, True), X) == RANDOM
    assert _refused(lambda _, x: x + random(), X) == RANDOM
    assert _refused(lambda _, x: x + 1e-5 * np.random.rand(), X) == RANDOM
    assert decide(taken(lambda _, x: torch.dropout(x, 0.5, False), X), taken(lambda _, x: x, X)).verdict == "equivalent"


def test_weights_that_a_module_keeps_in_a_list_of_its_own() -> None:
    """`LSTM` has its parameters in an attribute too, where a call leaves those that it is made with."""
    found = capture(nn.LSTM(3, 2), (torch.ones(1, 3),))
    assert isinstance(found, Captured)
    assert found.state()[0].name == "weight_ih_l0"
