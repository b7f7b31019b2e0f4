"""Tensors that ranks send to each other: in which order receives and sends stand, over which group, of which type."""

from __future__ import annotations

import torch
import torch.distributed as dist

X = torch.randn(4, 3, generator=torch.Generator().manual_seed(7), dtype=torch.float64)


def _part(rank, size):
    return X.chunk(size)[rank].clone()


def shifted():
    return (lambda x: x + x.roll(X.shape[0] // 2, 0)), (X,)


def _received_first(rank, size, peer=-1):
    def call(x):
        other = torch.empty_like(x)
        calls = [dist.P2POp(dist.irecv, other, (rank + peer) % size), dist.P2POp(dist.isend, x, (rank - peer) % size)]
        for work in dist.batch_isend_irecv(calls):
            work.wait()
        return x + other

    return call, (_part(rank, size),)


def received_first(rank, size):
    return _received_first(rank, size)


def wrong_direction(rank, size):
    """On four ranks, which the sequential model shifts by one part."""
    return _received_first(rank, size, 1)


def shifted_by_a_part():
    return (lambda x: x + x.roll(1, 0)), (X,)


def received_into_rows(rank, size):
    """The receive writes a part of a tensor that is read after the send."""

    def call(x):
        both = torch.cat([x, torch.zeros_like(x)])
        work = dist.irecv(both[x.shape[0] :], (rank - 1) % size)
        sent = dist.isend(x, (rank + 1) % size)
        work.wait()
        sent.wait()
        return both[: x.shape[0]] + both[x.shape[0] :]

    return call, (_part(rank, size),)


def received_and_reduced(rank, size):
    """What is received goes into a collective."""

    def call(x):
        other = torch.empty_like(x)
        work = dist.irecv(other, (rank - 1) % size)
        sent = dist.isend(x, (rank + 1) % size)
        work.wait()
        sent.wait()
        total = other * 1.0
        dist.all_reduce(total)
        return total

    return call, (_part(rank, size),)


def total():
    return (lambda x: x.reshape(2, -1, x.shape[1]).sum(0)), (X,)


def sent_flat(rank, size):
    def call(x):
        other = torch.empty_like(x)
        work = dist.irecv(other, (rank - 1) % size)
        dist.send(x.reshape(-1), (rank + 1) % size)
        work.wait()
        return x + other

    return call, (_part(rank, size),)


def wrong_received_before_sent(rank, size):
    """Each rank waits for the other one."""

    def call(x):
        other = torch.empty_like(x)
        dist.recv(other, (rank - 1) % size)
        dist.send(x, (rank + 1) % size)
        return x + other

    return call, (_part(rank, size),)


def wrong_read_before_sent(rank, size):
    """What is sent depends on what is received."""

    def call(x):
        other = torch.empty_like(x)
        dist.irecv(other, (rank - 1) % size).wait()
        sent = dist.isend(x + other, (rank + 1) % size)
        sent.wait()
        return x + other

    return call, (_part(rank, size),)


def wrong_never_sent(rank, size):
    """A receive whose tensor nobody reads."""

    def call(x):
        dist.irecv(torch.empty_like(x), (rank - 1) % size)
        return x + x

    return call, (_part(rank, size),)


def wrong_type(rank, size):
    def call(x):
        other = torch.empty_like(x, dtype=torch.float32)
        work = dist.irecv(other, (rank - 1) % size)
        dist.send(x, (rank + 1) % size)
        work.wait()
        return x + other.double()

    return call, (_part(rank, size),)


# Two groups of the same ranks: tensors of one are not those of the other


def negative():
    return (lambda x: -x), (X,)


def same():
    return (lambda x: x * 1.0), (X,)


def crossed_groups(rank, size):
    """Rank 1 has `x - 2 x`, whatever the order in which it receives."""
    groups = [dist.new_group([0, 1]) for _ in range(2)]

    def call(x):
        if rank == 0:
            dist.send(x, 1, group=groups[0])
            dist.send(x * 2, 1, group=groups[1])
            return x * 0
        first, second = torch.empty_like(x), torch.empty_like(x)
        work = dist.irecv(second, 0, group=groups[1])
        dist.recv(first, 0, group=groups[0])
        work.wait()
        return first - second

    return call, (X,)


def integer_mean(rank, size):
    def call(x):
        count = torch.tensor([rank + 1, 3])
        dist.all_reduce(count, dist.ReduceOp.AVG)
        return x * count.sum()

    return call, (_part(rank, size),)


def whole_exchange(rank, size):
    def call(x):
        made = torch.empty(2, 2 if rank else 3, dtype=x.dtype)
        dist.all_to_all_single(made, x[:, : 2 if rank else 3].contiguous())
        return made

    return call, (_part(rank, size),)
