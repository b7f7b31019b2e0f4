"""Pairs of torch models that are equal but for what lies at the edge: look-ups out of range, integers that wrap around,
elements that nobody wrote, and differences that only rounding makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph
from hecv.relate.graphs import cones
from hecv.torch.graph_capture import capture_graph

from .test_relations import assumed, in_process

Computes = Callable[..., Tensor]

torch.manual_seed(7)
TABLE, MORE = torch.randn(200, 6), torch.randn(10, 6)
X, IDS, SMALL = torch.randn(4, 6), torch.randint(0, 50, (8,)), torch.randint(0, 50, (8,), dtype=torch.int8)
PLACES = torch.randint(0, 4, (4, 2))


class Computing(nn.Module):
    """A module that computes this, with a table and a smaller one."""

    def __init__(self, computes: Computes) -> None:
        super().__init__()
        self.computes = computes
        self.table, self.more = nn.Parameter(TABLE), nn.Parameter(MORE)

    def forward(self, *arguments: Tensor) -> Tensor:
        return self.computes(self, *arguments)


def decide(source: Computes, target: Computes, *arguments: Tensor) -> FunctionReport:
    captured = [capture_graph(Computing(f), arguments, "f") for f in (source, target)]
    first, second = (c for c in captured if isinstance(c, CapturedGraph))
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    return compare_graphs(("a.py:f", "b.py:f"), (first, second), None, options, in_process).report.functions[0]


SHORT: list[tuple[Computes, Computes, tuple[Tensor, ...]]] = [
    (lambda m, i: F.embedding(i, m.table), lambda m, i: F.embedding(i, m.table[:198]), (IDS % 40,)),
    (lambda m, i: torch.index_select(m.table, 0, i), lambda m, i: torch.index_select(m.table[:60], 0, i), (IDS,)),
    (lambda m, x, i: x.gather(1, i), lambda m, x, i: x[:, :5].gather(1, i), (X, PLACES)),
    (
        lambda m, i: F.embedding(i + 1, m.table),
        lambda m, i: F.embedding((i + 1).view(2, 4), m.table[:199]).view(8, 6),
        (IDS,),
    ),
]


@pytest.mark.parametrize(("source", "target", "arguments"), SHORT)
def test_a_table_that_is_too_short(source: Computes, target: Computes, arguments: tuple[Tensor, ...]) -> None:
    assert decide(source, target, *arguments).verdict != "equivalent"
    assert decide(target, source, *arguments).verdict == "equivalent"


INSIDE: list[tuple[Computes, Computes, tuple[Tensor, ...]]] = [
    (lambda m, i: F.embedding(i, m.table), lambda m, i: F.embedding(i.clamp(max=199), m.table), (IDS,)),
    (lambda m, i: F.embedding(i, m.table)[-2:], lambda m, i: F.embedding(i[-2:], m.table), (IDS,)),
    (
        lambda m, i: F.embedding(i, torch.cat([m.table, m.more])),
        lambda m, i: torch.where(
            (i < 200)[:, None],
            F.embedding(i.clamp(max=199), m.table),
            F.embedding((i - 200).clamp(min=0, max=9), m.more),
        ),
        (IDS,),
    ),
    (lambda m, i: F.embedding(i, m.table), lambda m, i: F.one_hot(i, 200).float() @ m.table, (IDS,)),
]


@pytest.mark.parametrize(("source", "target", "arguments"), INSIDE)
def test_look_ups_in_range(source: Computes, target: Computes, arguments: tuple[Tensor, ...]) -> None:
    report = decide(source, target, *arguments)
    assert report.verdict == "equivalent"
    assert "index-in-range" not in assumed(report)


def test_a_look_up_that_the_source_has_not() -> None:
    def computes(m: Any, x: Tensor, i: Tensor) -> Tensor:
        return x[:, :1] * 0 + i

    def looks_up(m: Any, x: Tensor, i: Tensor) -> Tensor:
        return x[:, :1] * 0 + torch.arange(64.0).index_select(0, i)

    report = decide(computes, looks_up, X, IDS)
    assert report.verdict != "equivalent" or "index-in-range" in assumed(report)


WRAPPING: list[tuple[Computes, Computes, Tensor]] = [
    (lambda m, q: (q + q).float(), lambda m, q: q.float() * 2, SMALL),
    (lambda m, q: (q - 5).float(), lambda m, q: q.float() - 5, SMALL),
    (lambda m, q: (-q).float(), lambda m, q: -(q.float()), SMALL),
    (lambda m, i: i.to(torch.int8).float(), lambda m, i: i.float(), IDS),
    (lambda m, i: i.to(torch.int16).float(), lambda m, i: i.float(), IDS),
]


@pytest.mark.parametrize(("source", "target", "argument"), WRAPPING)
def test_narrow_integers_wrap_around(source: Computes, target: Computes, argument: Tensor) -> None:
    assert decide(source, target, argument).verdict == "unknown"
    assert decide(target, source, argument).verdict == "unknown"


def test_one_op_on_integers_of_two_widths() -> None:
    """The op that has no definition on narrow ones is not the same op on wide ones."""
    narrow, wide = (lambda m, q: (q + 100).float() + 1), (lambda m, q: (q.int() + 100).float() + 1)
    assert decide(narrow, wide, SMALL).verdict == "not-equivalent"


def test_a_clamp_that_large_inputs_reach() -> None:
    def clamped(m: Any, x: Tensor) -> Tensor:
        return (x * 9).round().clamp(-128, 128).to(torch.int8).float()

    def plain(m: Any, x: Tensor) -> Tensor:
        return (x * 9).round()

    assert decide(clamped, plain, X).verdict == "not-equivalent"
    assert decide(plain, clamped, X).verdict == "not-equivalent"


EXACT: list[tuple[Computes, Computes, Tensor]] = [
    (lambda m, q: (q.to(torch.int16) - 5).float(), lambda m, q: q.float() - 5, SMALL),
    (lambda m, q: q.view(2, 4).t().float(), lambda m, q: q.float().view(2, 4).t(), SMALL),
    (lambda m, q: torch.where(q > 0, q, 0).float(), lambda m, q: q.clamp(min=0).float(), SMALL),
    (lambda m, q: (q + q).float() * 2, lambda m, q: 2 * (q + q).float(), SMALL),
    (lambda m, x: (x > 0).to(torch.int8).float(), lambda m, x: (x > 0).float(), X),
    (
        lambda m, x: (x * 9).round().clamp(-128, 127).to(torch.int8).float(),
        lambda m, x: (x * 9).round().clamp(-128, 127),
        X,
    ),
]


@pytest.mark.parametrize(("source", "target", "argument"), EXACT)
def test_narrow_integers_in_their_range(source: Computes, target: Computes, argument: Tensor) -> None:
    assert decide(source, target, argument).verdict == "equivalent"


def test_wide_integers_are_assumed_not_to_overflow() -> None:
    report = decide(lambda m, i: (i * i).double(), lambda m, i: i.double() * i.double(), IDS)
    assert report.verdict == "equivalent"
    assert "integers-exact" in assumed(report)
    assert "integers-exact" not in assumed(decide(lambda m, x: x + x, lambda m, x: x * 2, X))


def test_an_element_that_nobody_wrote() -> None:
    assert decide(lambda m, x: x, lambda m, x: torch.empty_like(x) * 0 + x, X).verdict != "equivalent"


COUNT = torch.arange(60)
ROUNDED: list[tuple[Computes, Computes, tuple[Tensor, ...]]] = [
    (lambda m, i: torch.floor(i.double() / 49 * 49), lambda m, i: i.double(), (COUNT,)),
    (lambda m, i: (i.double() / 49 * 49 >= i).double() * i, lambda m, i: i.double(), (COUNT,)),
    (lambda m, x: (x + 1e12) - 1e12, lambda m, x: x * 1, (X,)),
    (lambda m, x: torch.sin((x * 40).exp() * 2), lambda m, x: torch.sin((x * 20).exp() ** 2 * 2), (X,)),
    (lambda m, x: (x + 1e-20 > x).double(), lambda m, x: torch.ones_like(x).double(), (X,)),
    (lambda m, x: (x - 1e-30 < x) * x, lambda m, x: x * 1, (X,)),
    (lambda m, x: (1e-20 - x > -x) * x, lambda m, x: x * 1, (X,)),
    (lambda m, x: (x.abs() + 40).tanh().lt(1) * x, lambda m, x: x * 1, (X,)),
    (lambda m, x: (x.sigmoid() * 0 + 40).sigmoid().lt(1) * x, lambda m, x: x * 1, (X,)),
    (lambda m, x: ((x * 0 + 1e-20).exp() - 1).sign() * x, lambda m, x: (x * 0 + 1e-20).sign() * x, (X,)),
    (lambda m, x: (F.pad(x * 0 + 1e-20, (1, 0), value=1).sum(-1, True) > 1) * x, lambda m, x: x * 1, (X,)),
]


@pytest.mark.parametrize(("source", "target", "arguments"), ROUNDED)
def test_what_rounding_decides_is_no_difference(
    source: Computes, target: Computes, arguments: tuple[Tensor, ...]
) -> None:
    assert decide(source, target, *arguments).verdict != "not-equivalent"


JUMPS: list[tuple[Computes, Computes, tuple[Tensor, ...]]] = [
    (lambda m, x: torch.floor(x), lambda m, x: torch.trunc(x), (X,)),
    (lambda m, i: torch.floor(i.double() / 2), lambda m, i: torch.floor(i.double() / 3), (COUNT,)),
    (lambda m, x: (x == x.amax(-1, True)) * x, lambda m, x: (x == x.amax(0, True)) * x, (X,)),
    (lambda m, x: (x + 1 > x) * x, lambda m, x: (x + 1 < x) * x, (X,)),
    (lambda m, x: (x.exp() >= 1) * 1.0, lambda m, x: (x.exp() > 2) * 1.0, (X,)),
    (lambda m, x: (x >= x.topk(2).values[:, 1:]) * x, lambda m, x: (x >= x.topk(3).values[:, 2:]) * x, (X,)),
]


@pytest.mark.parametrize(("source", "target", "arguments"), JUMPS)
def test_jumps_that_differ(source: Computes, target: Computes, arguments: tuple[Tensor, ...]) -> None:
    assert decide(source, target, *arguments).verdict == "not-equivalent"


# Indices that many ops compute

ROWS = torch.linspace(-1, 1, 24).reshape(8, 3)


def _deep(x: Tensor, twice: Callable[[Tensor], Tensor]) -> Tensor:
    for _ in range(12):
        x = twice(x.tanh())
    return x


def _ranked(table: Callable[[nn.Module], Tensor], twice: Callable[[Tensor], Tensor]) -> Computes:
    """Rows by rank: `rank // 2` is below 4 where `rank`, of a table of 8, is below 8, which nobody shows."""

    def compute(m: nn.Module, x: Tensor) -> Tensor:
        rank = _deep(x, twice)[:, 0].argsort()
        return m.table[:8][rank] + table(m)[rank // 2]

    return compute


def test_an_index_that_many_ops_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs before a look-up show that both sides look up one index."""
    monkeypatch.setattr(cones, "MOST_OPS", 20)
    source = _ranked(lambda m: m.table[:4], lambda x: 2 * x)
    assert decide(source, _ranked(lambda m: m.table[:4], lambda x: x + x), ROWS).verdict == "equivalent"
    longer = _ranked(lambda m: m.table[:5], lambda x: 2 * x)
    assert decide(longer, _ranked(lambda m: m.table[:4], lambda x: x + x), ROWS).verdict == "unknown"


NAN = float("nan")
WITH_NAN: list[Callable[..., Tensor]] = [
    lambda m, x: torch.xlogy(x.abs(), x.abs()),
    lambda m, x: torch.where(x > 9, NAN, x),
    lambda m, x: x.masked_fill(x > 9, NAN),
    lambda m, x: torch.where(x > 9, torch.add(x, x, alpha=NAN), x),
    lambda m, x: torch.where(x > 9, F.leaky_relu(x, NAN), x),
    lambda m, x: F.pad(x, (1, 0), value=NAN)[:, 1:],
    lambda m, x: torch.where(x > 9, x.clamp(max=NAN), x),
]


@pytest.mark.parametrize("computes", WITH_NAN)
def test_what_is_no_number_is_in_no_proof(computes: Computes) -> None:
    assert decide(computes, lambda m, x: x * 1, X).verdict != "equivalent"
    assert decide(computes, computes, X).verdict != "not-equivalent"
