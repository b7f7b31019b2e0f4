"""Models whose inputs and results stand in lists and dictionaries; what of them is no tensor or changes in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from hecv.base.diag import InputError
from hecv.check import Options
from hecv.frontend.models.captured import Captured, Failure
from hecv.frontend.torch.capture import capture
from hecv.models import compare_models
from hecv.verdict.result import FunctionReport
from hecv.verdict.switches import Switches

X = torch.arange(3.0) + 1
IN_ORDER = {"p": X, "q": [X * 2]}
OUT_OF_ORDER = {"q": [X * 2], "p": X}


class Written(nn.Module):
    """What a function computes; it may hold a buffer `b`."""

    def __init__(self, compute: Callable[..., Any], buffer: bool = False) -> None:
        super().__init__()
        self.compute = compute
        if buffer:
            self.register_buffer("b", torch.ones(3))

    def forward(self, *given: Any) -> Any:
        return self.compute(self, *given)


def taken(compute: Callable[..., Any], *arguments: Any) -> Captured:
    found = capture(Written(compute), arguments)
    assert isinstance(found, Captured), found
    return found


def decide(source: Captured, target: Captured) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    return compare_models(("a.py:f", "b.py:f"), (source, target), None, options).report.functions[0]


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


def _counts(module: Any, x: torch.Tensor) -> torch.Tensor:
    module.b.add_(1)
    return x * 2


def _overwrites(module: Any, x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


@pytest.mark.parametrize(("compute", "buffer"), [(_counts, True), (_overwrites, False)])
def test_a_module_that_changes_what_it_is_given(compute: Callable[..., Any], buffer: bool) -> None:
    found = capture(Written(compute, buffer), (X,))
    assert isinstance(found, Failure)
    assert found.unsupported
    assert f"changes {'b' if buffer else 'input0'} in place" in found.text
