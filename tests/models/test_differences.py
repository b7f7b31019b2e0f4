"""Models that differ in what is stored, looked up or compared: tables to the precision of their storage, look-ups out
of range, and the first op that differs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from hecv.base.diagnostics import InputError

from .test_relations import assumed, decide

ROWS, WIDTH = 6, 8
Model = tuple[nn.Module, tuple[Any, ...]]


class Function(nn.Module):
    """A function of a tensor and of buffers, as a module."""

    def __init__(self, function: Callable[..., torch.Tensor], **buffers: torch.Tensor) -> None:
        super().__init__()
        self.function = function
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x, *self.buffers())


def model(function: Callable[..., torch.Tensor], **buffers: torch.Tensor) -> Callable[[], Model]:
    def make() -> Model:
        return Function(function, **buffers), (torch.ones(ROWS, WIDTH),)

    return make


def of(source: Callable[..., torch.Tensor], target: Callable[..., torch.Tensor], **buffers: torch.Tensor) -> Any:
    return decide(model(source), model(target, **buffers))


# Tables


def angles(rows: int = ROWS, base: float = 100.0) -> torch.Tensor:
    return torch.arange(rows)[:, None] * base ** (-torch.arange(0, WIDTH, 2) / WIDTH)


def sinusoids(scale: float = 4.0) -> torch.Tensor:
    angle = torch.arange(ROWS)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(scale) / WIDTH))
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1)


def decay(rate: float = 0.3) -> torch.Tensor:
    return torch.exp(-rate * torch.arange(WIDTH))


def logarithms(first: int = 1) -> torch.Tensor:
    return (torch.arange(ROWS) + first).log()[:, None] / math.log(3)


TABLES: list[
    tuple[str, Callable[..., torch.Tensor], Callable[..., torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
] = [
    (
        "angles",
        lambda x: x[:, ::2] * angles().cos(),
        lambda x, table: x[:, ::2] * table.index_select(0, torch.arange(ROWS)).cos(),
        (angles(9), angles(9, 101.0)),
    ),
    (
        "cosines",
        lambda x: x[:, ::2] * angles().cos() + x[:, 1::2] * angles().sin(),
        lambda x, table: (x.unflatten(1, (-1, 2)) * table.unflatten(1, (2, -1)).transpose(1, 2)).sum(-1),
        (torch.cat((angles().cos(), angles().sin()), 1), torch.cat((angles().cos(), angles(ROWS, 101.0).sin()), 1)),
    ),
    ("positions", lambda x: x + sinusoids(), lambda x, table: x + table, (sinusoids(), sinusoids(4.001))),
    ("decay", lambda x: x * decay(), lambda x, table: x * table, (decay(), decay().bfloat16().float())),
    ("logarithms", lambda x: x * logarithms(), lambda x, table: x * table, (logarithms(), logarithms(2))),
]


@pytest.mark.parametrize(("source", "target", "tables"), [t[1:] for t in TABLES], ids=[t[0] for t in TABLES])
def test_a_stored_table_is_what_the_other_side_computes(source: Any, target: Any, tables: Any) -> None:
    report = of(source, target, table=tables[0])
    assert report.verdict == "equivalent", report.unknown
    assert "table-sampled" in assumed(report)
    wrong = of(source, target, table=tables[1])
    assert wrong.verdict == "not-equivalent"
    assert "table-sampled" not in assumed(wrong)


def test_a_table_of_the_source() -> None:
    found = decide(model(lambda x, table: x + table, table=sinusoids()), model(lambda x: x + sinusoids()))
    assert found.verdict == "equivalent", found.unknown


# Look-ups


LOOKED_UP: dict[str, tuple[Callable[..., torch.Tensor], int, int]] = {
    "aten.index_select": (lambda x, table: x * table.index_select(0, torch.arange(ROWS)), 5, 5),
    "aten.index.Tensor": (lambda x, table: x * table[torch.arange(ROWS) + 2], 7, 7),
    "aten.embedding": (lambda x, table: x + nn.functional.embedding(torch.arange(ROWS), table), 4, 4),
    "aten.gather": (lambda x, table: x * table.gather(0, torch.arange(ROWS)[:, None].expand(-1, WIDTH)), 3, 3),
}


@pytest.mark.parametrize("op", LOOKED_UP)
def test_a_look_up_out_of_range_is_refuted(op: str) -> None:
    function, rows, beyond = LOOKED_UP[op]
    right = model(function, table=torch.ones(9, WIDTH))
    wrong = model(function, table=torch.ones(rows, WIDTH))
    report = decide(right, wrong)
    assert report.verdict == "not-equivalent"
    assert report.counterexample is not None and report.localization is not None
    assert report.counterexample.kind == "undefined-behavior"
    assert f"index {beyond} is out of range: `{op}` reads a dimension of size {rows}" in report.localization.because
    assert report.localization.target is not None and report.localization.target.location.file == __file__
    with pytest.raises(InputError, match="out of "):
        decide(wrong, right)


def test_an_index_that_torch_does_not_look_up_is_no_finding() -> None:
    with pytest.raises(IndexError):
        decide(model(lambda x: x), model(lambda x: x * [1.0, 2.0][x.dim()]))


# The first op that differs


def _line(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if text in line)


def near(x: torch.Tensor, limit: float) -> torch.Tensor:
    close = x.abs() < limit  # compared
    return torch.where(close, x, 0.0).cumsum(0)


def waves(x: torch.Tensor, step: int) -> torch.Tensor:
    places = torch.arange(0, WIDTH * step, step)  # constant
    return (x * (places / 7).cos()).cumsum(0)


def windowed(x: torch.Tensor, window: int) -> torch.Tensor:
    row, column = torch.arange(ROWS)[:, None], torch.arange(ROWS)
    hidden = column > row
    if window:
        hidden = hidden | (row - column >= window)  # window
    return (x @ x.T).masked_fill(hidden, float("-inf")).softmax(-1)


def doubled(x: torch.Tensor, twice: bool) -> torch.Tensor:
    y = x.exp()
    if twice:
        y = y.tanh()  # missing
    return (y @ y.T).sin()


@pytest.mark.parametrize(("right", "wrong"), [(20.0, 12.0), (12.0, math.inf), (9.0, 9.5)])
def test_limits_that_random_inputs_do_not_reach(right: float, wrong: float) -> None:
    def limited(limit: float) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda x: x.clamp(-limit, limit) if limit < math.inf else x * 1

    report = of(limited(right), limited(wrong))
    assert report.verdict == "not-equivalent", report
    assert of(limited(right), lambda x: x.clamp_max(right).clamp_min(-right)).verdict == "equivalent"


@pytest.mark.parametrize(
    ("function", "right", "wrong", "side", "mark"),
    [
        (near, 0.5, 0.25, "target", "# compared"),
        (waves, 1, 2, "target", "# constant"),
        (windowed, 2, 0, "source", "# window"),
        (doubled, True, False, "source", "# missing"),
    ],
)
def test_the_first_op_that_differs(function: Any, right: Any, wrong: Any, side: str, mark: str) -> None:
    report = of(lambda x: function(x, right), lambda x: function(x, wrong))
    assert report.verdict == "not-equivalent"
    assert report.localization is not None
    place = getattr(report.localization, side)
    assert place.location.line == _line(f"  {mark}"), report.localization
