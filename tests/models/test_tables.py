"""Tables of positions: one buffer that holds the tables of several frequencies, stacked or joined, against models that
compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import nn

from .test_relations import assumed, decide

Model = tuple[nn.Module, tuple[Any, ...]]
TOKENS, CONTEXT, HEAD = 5, 9, 8
X = torch.linspace(-1, 1, TOKENS * HEAD).reshape(TOKENS, HEAD)

Shape = Callable[[Sequence[torch.Tensor]], torch.Tensor]
Read = Callable[[torch.Tensor, int], torch.Tensor]


def frequencies(base: float, size: int = HEAD) -> torch.Tensor:
    return 1 / base ** (torch.arange(0, size, 2).float() / size)


def turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding of [..., n] with tables [..., n]."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Computed(nn.Module):
    """Two layers, each with frequencies of its own, of which the tables are computed."""

    def __init__(self, bases: Sequence[float], sizes: Sequence[int], matrix: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linears = nn.ModuleList(nn.Linear(HEAD, HEAD) for _ in bases)
        self.sizes = sizes
        vectors = [frequencies(base, size) for base, size in zip(bases, sizes, strict=True)]
        self.matrix = matrix
        if matrix:
            self.register_buffer("all", torch.stack(vectors))
        else:
            for k, vector in enumerate(vectors):
                self.register_buffer(f"frequencies{k}", vector)

    def tables(self, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        vector = self.all[k] if self.matrix else getattr(self, f"frequencies{k}")
        angles = torch.arange(TOKENS).float()[:, None] * vector
        whole = torch.cat([angles, angles], -1)
        return whole.cos(), whole.sin()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for k, linear in enumerate(self.linears):
            y, (cos, sin) = linear(x), self.tables(k)
            n = self.sizes[k]
            x = x + torch.cat([turned(y[:, :n], cos, sin), y[:, n:]], -1).tanh()
        return x


class Stored(Computed):
    """The same with one buffer of cosines and one of sines."""

    def __init__(self, bases: Sequence[float], sizes: Sequence[int], shape: Shape, read: Read, shift: int = 0) -> None:
        super().__init__(bases, sizes)
        angles = [torch.arange(CONTEXT).float()[:, None] * frequencies(b, n) for b, n in zip(bases, sizes, strict=True)]
        whole = [torch.cat([a + shift * a[1], a + shift * a[1]], -1) for a in angles]
        for k in range(len(bases)):
            delattr(self, f"frequencies{k}")
        self.register_buffer("cos", shape([a.cos() for a in whole]))
        self.register_buffer("sin", shape([a.sin() for a in whole]))
        self.read = read

    def tables(self, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.read(self.cos, k)[:TOKENS], self.read(self.sin, k)[:TOKENS]


BASES, EVEN = (1e4, 1e2), (HEAD, HEAD)
KINDS: dict[str, tuple[Sequence[int], Shape, Read]] = {
    "stacked last": (EVEN, lambda t: torch.stack(list(t), -1), lambda b, k: b[..., k]),
    "stacked first": (EVEN, lambda t: torch.stack(list(t)), lambda b, k: b[k]),
    "stacked between": (EVEN, lambda t: torch.stack(list(t), 1), lambda b, k: b[:, k]),
    "joined": (EVEN, lambda t: torch.cat(list(t), -1), lambda b, k: b[:, k * HEAD : (k + 1) * HEAD]),
    "joined, of two widths": (
        (HEAD, HEAD // 2),
        lambda t: torch.cat(list(t), -1),
        lambda b, k: b[:, :HEAD] if k == 0 else b[:, HEAD:],
    ),
    "positions last": (EVEN, lambda t: torch.stack([x.T for x in t]), lambda b, k: b[k].T),
}


def made(kind: str, swapped: bool = False, bases: Sequence[float] = BASES, shift: int = 0) -> Callable[[], Model]:
    sizes, shape, read = KINDS[kind]

    def model() -> Model:
        of = (lambda b, k: read(b, 1 - k)) if swapped else read
        return Stored(bases, sizes, shape, of, shift).eval(), (X,)

    return model


def computed(sizes: Sequence[int] = EVEN, matrix: bool = False) -> Callable[[], Model]:
    return lambda: (Computed(BASES, sizes, matrix).eval(), (X,))


@pytest.mark.parametrize("kind", KINDS)
def test_several_tables_in_one_buffer(kind: str) -> None:
    report = decide(computed(KINDS[kind][0]), made(kind))
    assert report.verdict == "equivalent", report
    assert "table-sampled" in assumed(report)
    texts = [a.text for a in report.assumptions if a.id == "table-sampled"]
    assert any("frequencies0" in text and "frequencies1" in text for text in texts), texts


def test_the_other_order() -> None:
    assert decide(made("stacked last"), computed()).verdict == "equivalent"


def test_frequencies_in_one_buffer() -> None:
    """Rows of a matrix are frequencies."""
    assert decide(computed(matrix=True), made("stacked last")).verdict == "equivalent"
    assert decide(computed(matrix=True), computed()).verdict == "equivalent"
    swapped = decide(computed(matrix=True), made("stacked last", swapped=True))
    assert swapped.verdict == "not-equivalent", swapped


@pytest.mark.parametrize("kind", [k for k in KINDS if KINDS[k][0] == EVEN])
def test_the_table_of_another_layer(kind: str) -> None:
    report = decide(computed(), made(kind, swapped=True))
    assert report.verdict == "not-equivalent", report


@pytest.mark.parametrize("wrong", [{"bases": (1e4, 1.1e2)}, {"bases": (1e3, 1e2)}, {"shift": 1}])
def test_another_table(wrong: dict[str, Any]) -> None:
    assert decide(computed(), made("stacked last", **wrong)).verdict == "not-equivalent"
