"""Models with symbolic sizes: a verdict is for all of them, and never for the example's alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from hecv.base.diagnostics import InputError, Unsupported
from hecv.capture.value_process import Request
from hecv.check import Options
from hecv.claim.result import FunctionReport
from hecv.models import compare_graphs
from hecv.parameters.captured_model import CapturedGraph, Failure
from hecv.tensors.index_terms import Size, Undefined, fresh, index, sized
from hecv.torch.graph_capture import capture_graph
from hecv.torch.graph_runner import NotRun, run_graph

WIDTH, HEADS, LONGEST = 8, 2, 40


def captured(module: nn.Module, arguments: tuple[Any, ...], dynamic: Any) -> CapturedGraph | Failure:
    return capture_graph(module.eval(), arguments, type(module).__name__, dynamic)


def run(requests: Sequence[Request]) -> list[list[dict[str, Any]]]:
    wanted = [(r, frozenset(r.wanted)) for r in requests]
    try:
        return [[run_graph(r.graph, {**r.shared, **s}, names, r.jitter) for s in r.sets] for r, names in wanted]
    except NotRun as problem:
        raise Unsupported(str(problem), None) from problem


def decided(
    source: nn.Module, target: nn.Module, arguments: tuple[Any, ...], dynamic: Any, seconds: float = 60
) -> FunctionReport:
    models = [captured(module, arguments, dynamic) for module in (source, target)]
    assert isinstance(models[0], CapturedGraph) and isinstance(models[1], CapturedGraph), models
    options = Options(seconds=seconds)
    return compare_graphs(("a.py:f", "b.py:g"), (models[0], models[1]), None, options, run).report.functions[0]


class Sized(nn.Module):
    """A function of one tensor, with weights that all of these have."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.w = nn.Parameter(torch.randn(WIDTH, WIDTH))
        self.b = nn.Parameter(torch.randn(WIDTH))
        self.register_buffer("mask", torch.tril(torch.ones(LONGEST + 1, LONGEST + 1, dtype=torch.bool)))
        self.register_buffer("table", torch.randn(LONGEST + 1, WIDTH))
        self.register_buffer("long", torch.randn(100, WIDTH))
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self, x)


def places(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[1])


def later(x: torch.Tensor) -> torch.Tensor:
    """How far each key is behind each query."""
    return places(x)[None, :] - places(x)[:, None]


def attention(m: Any, x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """Attention of heads by its definition, with a mask."""
    batch, length, _ = x.shape
    q = (x @ m.w + m.b).view(batch, length, HEADS, -1).transpose(1, 2)
    k = x.view(batch, length, HEADS, -1).transpose(1, 2)
    scores = (q @ k.transpose(-1, -2)) / (WIDTH // HEADS) ** 0.5
    weights = scores.masked_fill(~keep, -torch.inf).softmax(-1)
    return (weights @ k).transpose(1, 2).reshape(batch, length, WIDTH)


def causal(m: Any, x: torch.Tensor) -> torch.Tensor:
    return attention(m, x, places(x)[None, :] <= places(x)[:, None])


def fused(m: Any, x: torch.Tensor) -> torch.Tensor:
    q, k = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in (F.linear(x, m.w.t(), m.b), x))
    return F.scaled_dot_product_attention(q, k, k, is_causal=True).transpose(1, 2).flatten(2)


def softened(m: Any, x: torch.Tensor) -> torch.Tensor:
    e = (x - x.amax(1, keepdim=True)).exp()
    return e / e.sum(1, keepdim=True)


EQUAL: dict[str, tuple[Any, Any]] = {
    "mlp": (
        lambda m, x: torch.relu(x @ m.w + m.b) @ m.w,
        lambda m, x: F.linear(torch.where((h := m.b + x @ m.w) > 0, h, torch.zeros_like(h)), m.w.t()),
    ),
    "softmax": (lambda m, x: x.softmax(1), softened),
    "mean": (lambda m, x: x.mean(1), lambda m, x: x.sum(1) / x.shape[1]),
    "norm": (
        lambda m, x: F.rms_norm(x, (WIDTH,), m.b, 1e-5),
        lambda m, x: x * torch.rsqrt(x.pow(2).mean(-1, True) + 1e-5) * m.b,
    ),
    "running sum": (lambda m, x: x.cumsum(1), lambda m, x: torch.tril(torch.ones(x.shape[1], x.shape[1])) @ x),
    "attention": (causal, fused),
    "stored mask": (causal, lambda m, x: attention(m, x, m.mask[: x.shape[1], : x.shape[1]])),
    "positions": (lambda m, x: x + m.table[places(x)], lambda m, x: x + m.table[: x.shape[1]]),
    "parts": (
        lambda m, x: torch.cat((x[:, :1], x[:, 1:] + x[:, :-1]), 1),
        lambda m, x: x + F.pad(x, (0, 0, 1, 0))[:, :-1],
    ),
    "last": (lambda m, x: x[:, -1], lambda m, x: x.flip(1)[:, 0]),
}  # fmt: skip
"""By name: two functions that are equal for all lengths up to `LONGEST`."""

WRONG: dict[str, tuple[Any, Any]] = {
    "one key fewer": (causal, lambda m, x: attention(m, x, later(x).lt(0) | (later(x) + places(x)).eq(0))),
    "mean of the example": (lambda m, x: x.mean(1), lambda m, x: x.sum(1) / 5),
    "mean of one more": (lambda m, x: x.mean(1), lambda m, x: x.sum(1) / (x.shape[1] + 1)),
    "late rows": (lambda m, x: x * 2, lambda m, x: torch.where(places(x)[None, :, None] == 33, x, x * 2)),
    "one length": (lambda m, x: x * 2, lambda m, x: torch.where(places(x)[-1] == 28, x, x * 2)),
    "a period": (lambda m, x: x + m.table[places(x)], lambda m, x: x + m.table[places(x) % 13]),
    "clamped": (lambda m, x: x + m.table[places(x)], lambda m, x: x + m.table[places(x).clamp(max=30)]),
    "a window": (causal, lambda m, x: attention(m, x, later(x).le(0) & later(x).gt(-32))),
    "keys beyond 35": (causal, lambda m, x: attention(m, x, later(x).le(0) | places(x).gt(35))),
}  # fmt: skip
"""By name: two functions that agree at some lengths, and not at all."""

ARGUMENT = (torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(3)),)


def up_to(most: int | None = LONGEST, least: int = 3) -> Any:
    return {"x": {1: Dim("length", min=least, max=most)}}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_for_all_lengths(name: str) -> None:
    found = decided(*map(Sized, EQUAL[name]), ARGUMENT, up_to())
    assert found.verdict == "equivalent", (found.unknown, found.notes)
    assert found.conditions == (f"length from 3 to {LONGEST}",)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_at_some_lengths(name: str) -> None:
    found = decided(*map(Sized, WRONG[name]), ARGUMENT, up_to())
    assert found.verdict == "not-equivalent", (found.unknown, found.notes)
    assert "length = " in found.notes[0]


@pytest.mark.parametrize(("source", "target"), [WRONG["late rows"], WRONG["one length"]])
def test_wrong_beyond_what_is_run(source: Any, target: Any) -> None:
    def far(m: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.where(places(x)[None, :, None] == 1000, x, x * 2)

    assert decided(Sized(source), Sized(far), ARGUMENT, up_to(None)).verdict == "unknown"
    assert decided(Sized(source), Sized(target), ARGUMENT, up_to(20)).verdict == "equivalent"


def early(x: torch.Tensor) -> torch.Tensor:
    """Keys up to each query, of the first queries alone."""
    return (places(x) < 1000)[:, None] & (places(x)[None, :] <= places(x)[:, None])


UNDEFINED: dict[str, tuple[Any, Any]] = {
    "a divisor of the length": (lambda m, x: x, lambda m, x: x * (x.shape[1] - 1000) / (x.shape[1] - 1000)),
    "a divisor of places": (
        lambda m, x: x,
        lambda m, x: (x * (at := places(x)[None, :, None] - 1000.0)) / at,
    ),
    "a root": (
        lambda m, x: x * (1000.0 - places(x))[None, :, None],
        lambda m, x: x * ((1000.0 - places(x)).sqrt() ** 2)[None, :, None],
    ),
    "rows without keys": (
        lambda m, x: attention(m, x, early(x)).masked_fill(~early(x)[None, :, :1], 0),
        lambda m, x: attention(m, x, early(x)),
    ),
    "a literal": (lambda m, x: x, lambda m, x: torch.where(places(x)[None, :, None] == 1000, torch.nan, x)),
}
"""By name: two functions that are equal for all lengths up to 1000, beyond which the target has NaN."""


@pytest.mark.parametrize("name", UNDEFINED)
def test_no_number_beyond_what_is_run(name: str) -> None:
    """What lengths alone make right or wrong is no assumption about inputs."""
    source, target = map(Sized, UNDEFINED[name])
    assert decided(source, target, ARGUMENT, up_to(2000)).verdict == "unknown"


def test_a_window_has_keys_for_all_queries() -> None:
    def window(m: Any, x: torch.Tensor) -> torch.Tensor:
        return attention(m, x, later(x).le(0) & later(x).gt(-32))

    def turned(m: Any, x: torch.Tensor) -> torch.Tensor:
        return attention(m, x, (places(x)[:, None] >= places(x)[None, :]) & (later(x) + 32 > 0))

    assert decided(Sized(window), Sized(turned), ARGUMENT, up_to(2000)).verdict == "equivalent"


def test_divisors_of_lengths_that_are_not_zero() -> None:
    def written(m: Any, x: torch.Tensor) -> torch.Tensor:
        squares = ((x - x.mean(1, True)) ** 2).sum(1) / (x.shape[1] - 1)
        return squares + (x.cumsum(1) / (places(x) + 1)[None, :, None])[:, 0]

    def built_in(m: Any, x: torch.Tensor) -> torch.Tensor:
        return x.var(1) + (x.cumsum(1) * (1 / (places(x) + 1.0))[None, :, None])[:, 0]

    assert decided(Sized(written), Sized(built_in), ARGUMENT, up_to(2000)).verdict == "equivalent"


@pytest.mark.parametrize("table", ["table", "long"])
def test_a_table_that_is_shorter_than_the_range(table: str) -> None:
    """Beyond its end the target does not run; `long` ends beyond what is run here."""
    at_rows = Sized(lambda m, x: x + getattr(m, table)[places(x)] * 0)
    assert decided(Sized(lambda m, x: x + 0), at_rows, ARGUMENT, up_to(1000)).verdict == "unknown"
    assert decided(Sized(lambda m, x: x + 0), at_rows, ARGUMENT, up_to(41)).verdict == "equivalent"


def test_two_sizes_and_derived_ones() -> None:
    rows = Dim("rows", max=9)
    both = {"x": {0: rows, 1: 2 * Dim("_half", max=20)}}
    x = (torch.randn(3, 6, WIDTH),)
    found = decided(Sized(EQUAL["attention"][0]), Sized(EQUAL["attention"][1]), x, both)
    assert found.verdict == "equivalent", found.unknown
    assert found.conditions[0] == "rows from 2 to 9" and len(found.conditions) == 2


class Two(nn.Module):
    def __init__(self, turned: bool) -> None:
        super().__init__()
        self.turned = turned

    def forward(self, pair: dict[str, torch.Tensor], factor: float, z: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, y = pair["x"], pair["y"]
        return ((y.t() @ x.t()).t() if self.turned else x @ y) * factor + z, x.sum(0)


def test_structures_and_shared_sizes() -> None:
    n, k = Dim("n", max=30), Dim("k", max=30)
    arguments = ({"x": torch.randn(4, 3), "y": torch.randn(3, 6)}, 2.0, torch.randn(6))
    dynamic = ({"x": {0: n, 1: k}, "y": {0: k}}, None, None)
    found = decided(Two(False), Two(True), arguments, dynamic)
    assert found.verdict == "equivalent", found.unknown


REFUSED: dict[str, tuple[Any, str]] = {
    "name": ({"y": {1: Dim("n")}}, "names `y`, and `forward` takes x"),
    "entries": (({1: Dim("n")}, None), "has 2 entries, expected 1"),
    "dimension": ({"x": {3: Dim("n")}}, "names dimension 3 of 3"),
    "range": ({"x": {1: Dim("n", min=6, max=9)}}, "5 not in range"),
    "kind": (7, "is a `int`"),
    "nothing": ({"x": None}, "states no dimension"),
    "small": ({"x": {1: Dim("n", max=1)}}, ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    dynamic, text = REFUSED[name]
    found = captured(Sized(lambda m, x: x), ARGUMENT, dynamic)
    assert isinstance(found, Failure) and found.name == "dynamic-shapes" and text in found.text


BRANCHES: dict[str, Any] = {
    "one length": lambda m, x: x * 2 if x.shape[1] != 7 else x,
    "every third": lambda m, x: x * 2 if x.shape[1] % 3 else x,
    "fixed": lambda m, x: x + torch.ones(1, 5, 1),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_on_a_length_are_not_lost(name: str) -> None:
    found = captured(Sized(BRANCHES[name]), ARGUMENT, up_to())
    assert isinstance(found, Failure) and found.name == "dynamic-shapes" and "length" in found.text
    for hint in (Dim.AUTO, Dim.DYNAMIC):  # the exporter keeps its guards apart, or takes the size for a number
        found = captured(Sized(BRANCHES[name]), ARGUMENT, {"x": {1: hint}})
        assert isinstance(found, Failure)


def test_what_is_not_affine_is_named() -> None:
    found = captured(Sized(lambda m, x: x / x.shape[1] ** 0.5), ARGUMENT, up_to())
    assert isinstance(found, Failure) and found.unsupported and "length" in found.text


def test_a_capture_traces_no_more_than_ops_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round of decompositions takes longer than the export: there is none for sizes, and one where one is enough."""
    rounds = list[Any]()
    decompose = torch.export.ExportedProgram.run_decompositions
    monkeypatch.setattr(
        torch.export.ExportedProgram, "run_decompositions", lambda *given: rounds.append(given) or decompose(*given)
    )
    assert isinstance(captured(Sized(causal), ARGUMENT, up_to()), CapturedGraph) and not rounds
    made_of_others = Sized(lambda m, x: F.mse_loss(x, x[:, :1].expand(x.shape) * 2))
    assert isinstance(captured(made_of_others, ARGUMENT, up_to()), CapturedGraph) and len(rounds) == 1


def test_models_of_other_sizes() -> None:
    models = [captured(Sized(lambda m, x: x), ARGUMENT, d) for d in (up_to(), up_to(9), None)]
    for other in models[1:]:
        with pytest.raises(InputError, match="symbolic sizes"):
            compare_graphs(("a.py:f", "b.py:g"), (models[0], other), None, Options(), run)  # pyright: ignore[reportArgumentType]
    cut = [captured(Sized(f), ARGUMENT, up_to(least=4)) for f in (lambda m, x: x[:, 1:], lambda m, x: x[:, :-2])]
    with pytest.raises(InputError, match=r"2xlength-2x8"):
        compare_graphs(("a.py:f", "b.py:g"), (cut[0], cut[1]), None, Options(), run)  # pyright: ignore[reportArgumentType]


def test_sizes_compare_for_all_values_or_not_at_all() -> None:
    s: Any = sized(fresh(30) + 2)
    assert isinstance(s, Size) and (s.least, s.most) == (2, 31)
    assert s == s and s != 1 and 1 < s < 40 and s + 1 > s and 2 * s >= s and -1 % s == s - 1 and s // 1 is s
    assert sized(index(7)) == 7 and s - s == 0
    for undecided in (
        lambda: s == 5, lambda: s < 9, lambda: s >= 3, lambda: range(s), lambda: list(s),
        lambda: (s * s).index, lambda: s * s == 20,
        lambda: int(s), lambda: 4 % s, lambda: fresh(5) % s, lambda: bool(s - 2),
    ):  # fmt: skip
        with pytest.raises(Undefined):
            undecided()
