"""Collectives over parts of unequal size: exchanges with given splits, gathers of padded rows, and sums of them."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

ROWS, WIDTH = 6, 3
SENT = ((1, 3), (1, 1))
"""How many rows each of two ranks gives to each: the first has four rows, the second two."""


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)


X, WEIGHTS = numbers(ROWS, WIDTH), numbers(2, WIDTH, WIDTH)
EXPERT = (0, 1, 1, 1, 0, 1)
"""Which of two weights a row takes: that of the rank that it is sent to."""


def experts():
    def call(x, w):
        return torch.stack([row @ w[e] for row, e in zip(x, EXPERT, strict=True)])

    return call, (X, WEIGHTS)


def _sent(rank, functional, back_to=0, weight=0):
    gives, takes = list(SENT[rank]), [SENT[0][rank], SENT[1][rank]]

    def exchange(x, taken, given):
        if functional:
            return funcol.wait_tensor(funcol.all_to_all_single(x, taken, given, dist.group.WORLD))
        out = x.new_empty(sum(taken), WIDTH)
        dist.all_to_all_single(out, x, taken, given)
        return out

    def call(x, w):
        made = exchange(x, takes, gives) @ w
        if back_to:
            made = torch.cat([made[back_to:], made[:back_to]])
        return exchange(made, gives, takes)

    x = X[:4] if rank == 0 else X[4:]
    return call, (x.clone(), WEIGHTS[(rank + weight) % 2].clone())


def experts_exchanged(rank, size):
    return _sent(rank, False)


def experts_exchanged_functional(rank, size):
    return _sent(rank, True)


def wrong_experts_back(rank, size):
    """Rows come back in another order."""
    return _sent(rank, False, back_to=1)


def wrong_experts_swapped(rank, size):
    return _sent(rank, True, weight=1)


def wrong_experts_splits(rank, size):
    """The second rank takes as many rows of each as it gives."""
    gives = list(SENT[rank])
    takes = gives if rank else [SENT[0][rank], SENT[1][rank]]

    def call(x, w):
        out = x.new_empty(sum(takes), WIDTH)
        dist.all_to_all_single(out, x, takes, gives)
        return out @ w

    return call, (X[:4].clone() if rank == 0 else X[4:].clone(), WEIGHTS[rank].clone())


# Rows that the ranks do not share out evenly, padded for a gather


def tanh():
    return (lambda x: x.tanh() * 2), (X[:5],)


def _gathered(rank, kept):
    def call(x):
        made = funcol.all_gather_tensor(torch.nn.functional.pad(x.tanh() * 2, (0, 0, 0, rank)), 0, dist.group.WORLD)
        return made[kept]

    return call, (X[:3].clone() if rank == 0 else X[3:5].clone(),)


def tanh_padded(rank, size):
    return _gathered(rank, slice(0, 5))


def wrong_tanh_padded(rank, size):
    """The padding is kept, and the first row left out."""
    return _gathered(rank, slice(1, 6))
