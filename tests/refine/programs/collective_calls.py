"""Every collective on numbers that say which rank they are from. As a script, one rank of a program in a process group
that moves data: `python collective_calls.py RANK SIZE STORE OUT PROGRAM...`, a program being `module:function`."""

from __future__ import annotations

import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

SECONDS = 120
"""Until a rank gives up waiting for another one."""


def in_place(x: torch.Tensor) -> dict[str, torch.Tensor]:
    rank, size = dist.get_rank(), dist.get_world_size()
    found: dict[str, torch.Tensor] = {}
    for op in ("SUM", "MAX", "MIN", "PRODUCT", "AVG"):
        found[op] = x.clone()
        dist.all_reduce(found[op], op=getattr(dist.ReduceOp, op))
    parts = [torch.empty_like(x) for _ in range(size)]
    dist.all_gather(parts, x)
    found["gathered"] = torch.cat(parts, 1)
    chunked = torch.empty(size * x.shape[0], *x.shape[1:], dtype=x.dtype)
    dist.all_gather(list(chunked.chunk(size)), x * 2)
    found["gathered into chunks"] = chunked
    found["gathered into one"] = torch.empty_like(chunked)
    dist.all_gather_into_tensor(found["gathered into one"], x)
    found["scattered sum"] = torch.empty(x.shape[0] // size, *x.shape[1:], dtype=x.dtype)
    dist.reduce_scatter_tensor(found["scattered sum"], x)
    found["exchanged"] = torch.empty_like(x)
    dist.all_to_all_single(found["exchanged"], x)
    give, take = ([1, 3], [1, 1]) if rank == 0 else ([1, 3], [3, 3])
    found["exchanged unevenly"] = torch.empty(sum(take), *x.shape[1:], dtype=x.dtype)
    dist.all_to_all_single(found["exchanged unevenly"], x, take, give)
    for root in range(size):
        found[f"from {root}"] = x.clone()
        dist.broadcast(found[f"from {root}"], root)
    found["received"] = torch.empty_like(x)
    calls = [
        dist.P2POp(dist.isend, x * 3, (rank + 1) % size),
        dist.P2POp(dist.irecv, found["received"], (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(calls):
        work.wait()
    found["received first"] = torch.zeros(2, *x.shape, dtype=x.dtype)
    work = dist.irecv(found["received first"][1], (rank - 1) % size)
    dist.send(x * 5, (rank + 1) % size)
    work.wait()
    view = x.clone()
    dist.all_reduce(view[1])
    found["a row of it"] = view
    return found


def functional(x: torch.Tensor) -> dict[str, torch.Tensor]:
    size, everyone = dist.get_world_size(), dist.group.WORLD
    found = {op: funcol.all_reduce(x, op, everyone) for op in ("sum", "max", "avg")}
    found["gathered"] = funcol.all_gather_tensor(x, 1, everyone)
    found["scattered sum"] = funcol.reduce_scatter_tensor(x, "sum", 0, everyone)
    found["exchanged"] = funcol.all_to_all_single(x, [2] * size, [2] * size, everyone)
    found["from 1"] = funcol.broadcast(x, 1, everyone)
    return {name: funcol.wait_tensor(t) for name, t in found.items()}


def coalesced(x: torch.Tensor) -> dict[str, torch.Tensor]:
    size, everyone = dist.get_world_size(), dist.group.WORLD
    found: dict[str, torch.Tensor] = {"in place": x.clone(), "in place too": x[:1] * 2}
    dist.all_reduce_coalesced(list(found.values()))
    several = [x, x[:2] + 1]
    for k, t in enumerate(funcol.all_reduce_coalesced(several, "sum", everyone)):
        found[f"sum {k}"] = funcol.wait_tensor(t)
    for k, t in enumerate(funcol.all_gather_into_tensor_coalesced(several, everyone)):
        found[f"gathered {k}"] = funcol.wait_tensor(t)
    for k, t in enumerate(funcol.reduce_scatter_tensor_coalesced(several, "sum", [0] * len(several), everyone)):
        found[f"scattered sum {k}"] = funcol.wait_tensor(t)
    assert size == 2
    return found


def numbers(rank: int) -> tuple[torch.Tensor]:
    return (torch.arange(12, dtype=torch.float64).reshape(4, 3) - 5 + 10 * rank,)


def calls(rank: int, size: int):
    return in_place, numbers(rank)


def functional_calls(rank: int, size: int):
    return functional, numbers(rank)


def coalesced_calls(rank: int, size: int):
    return coalesced, numbers(rank)


def whole_product():
    x, w = (torch.randn(4, 3, generator=torch.Generator().manual_seed(seed)) for seed in (3, 4))
    return (lambda x, w: x @ (w * 2).T), (x, w)


def _gathered(rank: int, size: int, parts: Any):
    """A product by shards of rows, gathered into parts of a buffer that nothing has written."""
    _, (x, w) = whole_product()

    def run(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        whole = torch.empty(len(w) * size, 3)
        dist.all_gather(parts(whole), w * 2)
        return x @ whole.T

    return run, (x, w.chunk(size)[rank].clone())


def buffer(rank: int, size: int):
    return _gathered(rank, size, lambda whole: list(whole.chunk(size)))


def buffer_of_columns(rank: int, size: int):
    return _gathered(rank, size, lambda whole: [part.view(-1, 3) for part in whole.view(size, -1).unbind()])


def wrong_buffer(rank: int, size: int):
    return _gathered(rank, size, lambda whole: list(whole.chunk(size))[::-1])


def wrong_unwritten_buffer(rank: int, size: int):
    """Every rank's rows are written to the first ones."""
    return _gathered(rank, size, lambda whole: [whole[: len(whole) // size]] * size)


def flat(result: Any) -> dict[str, Any]:
    """Results by the names that a capture gives them."""
    from hecv.torch.pytrees import leaves

    found = {".".join(map(str, path)): t for path, t in leaves(result)}
    return {f"out.{n}".rstrip(".") if not n or n[0].isdigit() else n: t.detach().numpy() for n, t in found.items()}


def main(rank: int, size: int, store: str, out: str, programs: list[str]) -> None:
    torch.set_num_threads(1)
    wait = timedelta(seconds=SECONDS)
    dist.init_process_group("gloo", store=dist.FileStore(store, size), rank=rank, world_size=size, timeout=wait)
    arrays: dict[str, Any] = {}
    for program in programs:
        module, _, function = program.partition(":")
        made, arguments = getattr(import_module(module), function)(rank, size)
        arrays |= {f"{program}/{n}": a for n, a in flat(made(*arguments)).items()}
    np.savez(Path(out), **arrays)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:])
