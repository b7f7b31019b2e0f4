"""Programs with ops that no framework has: one with a definition (`own_definitions.py`), one by rows of which only that
is said, and one of which nothing is said; `wrong_*` have a mistake."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

import hecv

TOKENS, WIDTH, INNER = 4, 6, 8


@torch.library.custom_op("ownlib::gated", mutates_args=())
def gated(value: torch.Tensor, gate: torch.Tensor, limit: float) -> torch.Tensor:
    return value * gate.clamp(min=limit)


@torch.library.custom_op("ownlib::ranked", mutates_args=())
def ranked(x: torch.Tensor) -> torch.Tensor:
    """By rows: each element among those of its row."""
    return x + x.sort(-1).values.flip(-1)


@torch.library.custom_op("ownlib::mixed", mutates_args=())
def mixed(x: torch.Tensor, power: int) -> torch.Tensor:
    return (x.flip(0) * x) ** power


def weight(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X, UP, GATE, DOWN = weight(1, TOKENS, WIDTH), weight(2, WIDTH, INNER), weight(3, WIDTH, INNER), weight(4, INNER, WIDTH)


def gated_mlp():
    return lambda x, up, gate, down: gated(x @ up, x @ gate, 0.0) @ down, (X, UP, GATE, DOWN)


def _gated_ranks(rank, size, swapped=False, limit=0.0):
    def program(x, up, gate, down):
        pair = (x @ gate, x @ up) if swapped else (x @ up, x @ gate)
        return funcol.all_reduce(gated(*pair, limit) @ down, "sum", dist.group.WORLD)

    up, gate = (w.chunk(size, 1)[rank] for w in (UP, GATE))
    return program, (X, up, gate, DOWN.chunk(size)[rank])


def gated_ranks(rank, size):
    return _gated_ranks(rank, size)


def wrong_gated_swapped(rank, size):
    return _gated_ranks(rank, size, swapped=True)


def wrong_gated_limit(rank, size):
    return _gated_ranks(rank, size, limit=0.25)


def rows():
    return lambda x, up: ranked(x @ up) * 2, (X, UP)


def rows_ranks(rank, size):
    return lambda x, up: ranked(x @ up) * 2, (X.chunk(size)[rank], UP)


def wrong_rows_by_columns(rank, size):
    return lambda x, up: ranked(x @ up) * 2, (X, UP.chunk(size, 1)[rank])


def _mixed(x, up, power=2):
    return mixed(x @ up, power) + x @ up


def nothing_known():
    return _mixed, (X, UP)


def nothing_known_ranks(rank, size):
    def program(x, up):
        return _mixed(funcol.all_gather_tensor(x, 0, dist.group.WORLD), up)

    return program, (X.chunk(size)[rank], UP)


def wrong_mixed_shards(rank, size):
    return _mixed, (X.chunk(size)[rank], UP)


def wrong_mixed_power(rank, size):
    return lambda x, up: _mixed(x, up, 3), (X, UP)


def wrong_mixed_operand(rank, size):
    """The same values, as `mixed` is an even function: which nothing says."""
    return lambda x, up: mixed(-(x @ up), 2) + x @ up, (X, UP)


def logged():
    def program(x, up, down):
        hidden = hecv.log_tensor(x @ up, "hidden")
        for _ in range(2):
            hidden = hidden * 2
            hecv.log_tensor(hidden, "doubled")
        hecv.log_tensor(x, "given")
        return hecv.log_tensor(hidden.relu() @ down, "result") * 1.5

    return program, (X, UP, DOWN)


def _logged_ranks(rank, size, scale):
    def program(x, up, down):
        hidden = hecv.log_tensor(x @ up, "hidden") * scale
        part = hecv.log_tensor((hidden.relu()) @ down, "partial")
        return funcol.all_reduce(part, "sum", dist.group.WORLD) * 1.5

    return program, (X, UP.chunk(size, 1)[rank], DOWN.chunk(size)[rank])


def logged_ranks(rank, size):
    return _logged_ranks(rank, size, 4)


def wrong_logged_ranks(rank, size):
    return _logged_ranks(rank, size, 4 + rank)
