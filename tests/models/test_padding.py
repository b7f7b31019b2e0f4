"""Parameters padded with zeros: rows of an embedding, of a head, of hidden units."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hecv.base.diagnostics import InputError

from .test_names import related, shaped
from .test_relations import decide

Model = tuple[nn.Module, tuple[Any, ...]]
ROWS, WIDTH, PADDED = 5, 3, 8
IDS = torch.tensor([4, 0, 3, 1])


def _weights(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def _padded(rows: torch.Tensor) -> torch.Tensor:
    return torch.cat((rows, torch.zeros(PADDED - len(rows), *rows.shape[1:])))


class Tied(nn.Module):
    """Logits of tokens by one table; tokens may come in a batch of one."""

    def __init__(self, table: torch.Tensor, kept: slice = slice(None), batch: bool = False) -> None:
        super().__init__()
        self.table, self.kept, self.batch = nn.Parameter(table), kept, batch

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = F.embedding(ids[None], self.table)[0] if self.batch else F.embedding(ids, self.table)
        return F.linear(x.tanh(), self.table)[:, self.kept]


def tied() -> Model:
    return Tied(_weights(ROWS, WIDTH)), (IDS,)


def tied_in_a_batch() -> Model:
    return Tied(_weights(ROWS, WIDTH), batch=True), (IDS,)


def tied_padded() -> Model:
    return Tied(_padded(_weights(ROWS, WIDTH)), slice(0, ROWS)), (IDS,)


def tied_other_columns() -> Model:
    return Tied(_padded(_weights(ROWS, WIDTH)), slice(1, ROWS + 1)), (IDS,)


def tied_padded_with_ones() -> Model:
    table = _padded(_weights(ROWS, WIDTH))
    table[ROWS:] = 1
    return Tied(table, slice(0, ROWS)), (IDS,)


class Hidden(nn.Module):
    """Hidden units, of which some may be padding."""

    def __init__(self, up: torch.Tensor, bias: torch.Tensor, down: torch.Tensor, shift: float = 0.0) -> None:
        super().__init__()
        self.up, self.bias, self.down = nn.Parameter(up), nn.Parameter(bias), nn.Parameter(down)
        self.shift = shift

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear((F.linear(x, self.up, self.bias) + self.shift).relu(), self.down)


def _hidden(up: torch.Tensor, bias: torch.Tensor, down: torch.Tensor, shift: float = 0.0) -> Model:
    return Hidden(up, bias, down, shift), (_weights(4, WIDTH),)


def hidden() -> Model:
    return _hidden(_weights(ROWS, WIDTH), _weights(ROWS) + 1, _weights(2, ROWS))


def hidden_padded() -> Model:
    columns = _padded(_weights(2, ROWS).T).T
    return _hidden(_padded(_weights(ROWS, WIDTH)), _padded(_weights(ROWS) + 1), columns)


def hidden_shifted() -> Model:
    columns = _padded(_weights(2, ROWS).T).T
    return _hidden(_padded(_weights(ROWS, WIDTH)), _padded(_weights(ROWS) + 1), columns, 0.1)


@pytest.mark.parametrize("source", [tied, tied_in_a_batch])
def test_a_padded_vocabulary(source: Callable[[], Model]) -> None:
    report = decide(source, tied_padded)
    assert report.verdict == "equivalent", report
    assert dict(report.models.parameters)["table"] == "concat(table, zeros(3, 3), dim=0)"


def test_columns_of_the_padding_are_no_logits() -> None:
    assert decide(tied, tied_other_columns).verdict == "not-equivalent"


def test_rows_of_ones_are_no_padding() -> None:
    report = decide(tied, tied_padded_with_ones)
    assert report.verdict == "unknown", report
    assert "table" in report.unknown.text


def test_padded_hidden_units() -> None:
    report = decide(hidden, hidden_padded)
    assert report.verdict == "equivalent", report
    assert (
        dict(report.models.parameters)["down"] == "transpose(concat(transpose(down, 0, 1), zeros(3, 2), dim=0), 0, 1)"
    )
    assert decide(hidden, hidden_shifted).verdict == "not-equivalent"


def test_zeros_in_a_relation(tmp_path: Path) -> None:
    one, two = shaped((2, 2))[1], shaped((3, 2))[1]
    assert related(one, two, "concat(w, zeros(1, 2), dim=0)", tmp_path) == "equivalent"
    with pytest.raises(InputError) as caught:
        related(one, two, "concat(w, zeros(1, 3), dim=0)", tmp_path)
    assert "do not join along 0" in caught.value.diagnostics[0].message
