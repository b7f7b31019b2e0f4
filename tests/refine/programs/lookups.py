"""Tables of which each rank has a part, looked up by words that may be in the part of another rank: right ones, and
ones in which a rank leaves its table for words that the sequential model takes."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch import nn

WORDS, PADDED, WIDTH = 10, 12, 3
MANY = 40
"""Words of the programs whose mistake is at a border: a run with six of them does not show it."""
IDS = torch.tensor([1, 4, 8, 2, 0, 6])
"""Words that stay within what each rank has, also where it has one too few."""


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


TABLE, LARGE = numbers(WORDS, WIDTH), numbers(MANY, WIDTH)
SCORES = numbers(len(IDS), MANY - 4).log_softmax(-1)
STATES = numbers(4, WIDTH)


class Words(nn.Module):
    """A table, and what is made of it and of words."""

    def __init__(self, call, table: torch.Tensor) -> None:
        super().__init__()
        self.table, self.call = nn.Parameter(table.clone()), call

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.call(ids, self.table)


def everywhere(x: torch.Tensor) -> torch.Tensor:
    return funcol.all_reduce(x, "sum", dist.group.WORLD)


def words():
    return Words(F.embedding, LARGE), (IDS,)


def few_words():
    return Words(F.embedding, TABLE), (IDS,)


def _part(rank: int, size: int) -> tuple[int, int]:
    each = MANY // size
    return rank * each, (rank + 1) * each


def _masked(rank: int, size: int, first: int, stop: int):
    """Words from `first` to before `stop` are looked up."""
    start, end = _part(rank, size)

    def call(ids, table):
        mine = (ids >= first) & (ids < stop)
        return everywhere(F.embedding(torch.where(mine, ids - start, 0), table) * mine[:, None])

    return Words(call, LARGE[start:end]), (IDS,)


def words_vp(rank, size):
    return _masked(rank, size, *_part(rank, size))


def wrong_border(rank, size):
    """The first rank takes a word that the second one has, and the second does not take it."""
    first, stop = _part(rank, size)
    return _masked(rank, size, first + (rank == 1), stop + (rank == 0))


def words_clamped(rank, size):
    start, end = _part(rank, size)

    def call(ids, table):
        mine = (ids >= start) & (ids < end)
        return everywhere(torch.where(mine[:, None], table[(ids - start).clamp(0, end - start - 1)], 0.0))

    return Words(call, LARGE[start:end]), (IDS,)


def _put(rank, size, one_more):
    """Megatron's: words of others are set to 0 before the look-up, their rows after it."""
    start, end = _part(rank, size)

    def call(ids, table):
        others = (ids < start) | (ids >= end + (one_more and rank == 0))
        own = ids - start
        own = own.masked_fill(others, 0)
        found = F.embedding(own, table)
        if one_more and rank == 1:
            others = others | (ids == start)
        return everywhere(found.masked_fill(others[:, None], 0.0))

    return Words(call, LARGE[start:end]), (IDS,)


def words_put(rank, size):
    return _put(rank, size, False)


def wrong_words_put(rank, size):
    return _put(rank, size, True)


# Labels of a loss


def labels():
    return (lambda ids, scores: -scores.gather(1, ids[:, None]).sum()), (IDS, SCORES)


def _labels(rank, size, extra):
    each = SCORES.shape[1] // size
    start, end = rank * each, (rank + 1) * each

    def call(ids, scores):
        first, stop = start + (extra and rank == 1), end + (extra and rank == 0)
        mine = (ids >= first) & (ids < stop)
        own = torch.where(mine, ids - start, 0)
        return everywhere(-torch.where(mine, scores.gather(1, own[:, None])[:, 0], 0.0).sum())

    return call, (IDS, SCORES[:, start:end].clone())


def labels_vp(rank, size):
    return _labels(rank, size, 0)


def wrong_labels(rank, size):
    return _labels(rank, size, 1)


def mean_loss():
    return (lambda ids, scores: F.nll_loss(scores, ids, reduction="sum")), (IDS, SCORES)


def mean_loss_dp(rank, size):
    each = len(IDS) // size
    part = slice(rank * each, (rank + 1) * each)
    return (lambda ids, scores: everywhere(F.nll_loss(scores, ids, reduction="sum"))), (IDS[part], SCORES[part])


# Indices that are computed by both: by a router, and from words


def tiered():
    """Rows by sizes of numbers."""
    return (lambda x, table: table[(x * 7).floor().clamp(-3, 3).long() + 3]), (STATES, TABLE[:7])


def tiered_dp(rank, size):
    each = len(STATES) // size
    x = STATES[rank * each : (rank + 1) * each].clone()
    return (lambda x, table: table[(x * 7).floor().clamp(-3, 3).long() + 3]), (x, TABLE[:7])


def halved():
    return Words(lambda ids, table: F.embedding(ids // 2, table), TABLE[:5]), (IDS,)


def halved_dp(rank, size):
    each = len(IDS) // size
    part = IDS[rank * each : (rank + 1) * each].clone()
    return Words(lambda ids, table: F.embedding(ids // 2, table), TABLE[:5]), (part,)


# The look-up of a rank alone


def doubled():
    return (lambda x: x * 2), (STATES,)


def doubled_and_looked_up(rank, size):
    return (lambda x, own: x * 2 + (x[own] - x[own])), (STATES, torch.tensor([1, 0, 3, 3]))


def compared():
    """No look-up: a word that is not there gives 0."""
    return Words(lambda ids, table: (ids[:, None] == torch.arange(WORDS)).to(table.dtype) @ table, TABLE), (IDS,)


def wrong_looked_up_next(rank, size):
    """The table has a row more in front, but none behind."""
    return Words(lambda ids, table: F.embedding(ids + 1, F.pad(table, (0, 0, 1, 0))), TABLE), (IDS,)


# A vocabulary that the number of ranks does not divide: the last part is padded


def _padded(rank, size, of_last=0, reads=0):
    each = PADDED // size
    start = rank * each
    table = F.pad(TABLE, (0, 0, 0, PADDED - WORDS), value=7.0)[start : start + each]

    def call(ids, table):
        mine = (ids >= start) & (ids < start + each - of_last * (rank == size - 1))
        return everywhere(F.embedding(torch.where(mine, ids - start + reads, 0), table) * mine[:, None])

    return Words(call, table), (IDS,)


def padded_vp(rank, size):
    return _padded(rank, size)


def wrong_padded_row(rank, size):
    return _padded(rank, size, reads=1 if rank == size - 1 else 0)


def wrong_padded_last(rank, size):
    return _padded(rank, size, of_last=3)


def head():
    return Words(lambda ids, table: STATES @ table.T, TABLE), (IDS,)


def _head(rank, size, stop):
    each = PADDED // size
    table = F.pad(TABLE, (0, 0, 0, PADDED - WORDS))[rank * each : (rank + 1) * each]

    def call(ids, table):
        whole = funcol.all_gather_tensor(table, 0, dist.group.WORLD)
        return STATES @ whole[stop - WORDS : stop].T

    return Words(call, table), (IDS,)


def head_padded(rank, size):
    return _head(rank, size, WORDS)


def wrong_head_padded(rank, size):
    return _head(rank, size, WORDS + 1)
