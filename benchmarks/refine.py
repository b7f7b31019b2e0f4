"""Refinement by degree and depth: a Llama of so many layers under tensor parallelism on so many ranks, forward.

`python benchmarks/refine.py --degrees 2,4,8 --layers 1,2,4` prints for each pair seconds of capture, of runs, and of
the relations and their proofs, and writes `refine.json`. `processor` are seconds of the processor for all but capture,
`capture_processor` those of capture: they depend less on what else the machine does. Cells that the file has already
are not measured again, unless with `--anew`.
"""

import argparse
import json
import math
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from zlib import crc32

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch import nn

from hecv.refine.relation_file import RelationFile
from hecv.refinement import Settings, decide
from hecv.torch.graph_runner import run_graph
from hecv.torch.rank_capture import capture_rank, start_group

FILE = Path(__file__).with_suffix(".json")
TOKENS, SIZE = 8, 4


def weight(name: str, *shape: int) -> nn.Parameter:
    """Random numbers that depend on the name alone."""
    made = torch.Generator().manual_seed(crc32(name.encode()))
    return nn.Parameter(torch.randn(shape, generator=made, dtype=torch.float64) / math.sqrt(shape[-1]))


def part(whole: nn.Parameter, dim: int, rank: int, size: int) -> nn.Parameter:
    """The shard of a rank."""
    return nn.Parameter(whole.detach().chunk(size, dim)[rank].clone())


class Layer(nn.Module):
    """Attention with rotary positions and a gated MLP, each behind a norm."""

    def __init__(self, number: int, heads: int, rank: int, size: int) -> None:
        super().__init__()
        width = heads * SIZE
        shapes = {"q": 0, "k": 0, "v": 0, "o": 1}
        for name, dim in shapes.items():
            setattr(self, name, part(weight(f"{name}{number}", width, width), dim, rank, size))
        self.gate, self.up = (part(weight(f"{n}{number}", 2 * width, width), 0, rank, size) for n in ("gate", "up"))
        self.down = part(weight(f"down{number}", width, 2 * width), 1, rank, size)
        self.first, self.second = (
            nn.Parameter(1 + weight(f"{n}{number}", width).detach()) for n in ("first", "second")
        )
        self.size = size

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = normed(x, self.first)
        q, k, v = (F.linear(y, w).unflatten(-1, (-1, SIZE)).transpose(0, 1) for w in (self.q, self.k, self.v))
        made = F.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        x = x + self.summed(F.linear(made.transpose(0, 1).flatten(1), self.o))
        y = normed(x, self.second)
        return x + self.summed(F.linear(F.silu(F.linear(y, self.gate)) * F.linear(y, self.up), self.down))

    def summed(self, x: torch.Tensor) -> torch.Tensor:
        return funcol.all_reduce(x, "sum", dist.group.WORLD) if self.size > 1 else x


def normed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The root mean square norm."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def turned(x: torch.Tensor) -> torch.Tensor:
    """Rotary embedding of halves."""
    angle = torch.arange(TOKENS)[:, None] / 100.0 ** (torch.arange(0, SIZE, 2) / SIZE)
    one, two = x.chunk(2, -1)
    return torch.cat((one * angle.cos() - two * angle.sin(), two * angle.cos() + one * angle.sin()), -1)


def model(layers: int, heads: int, rank: int = 0, size: int = 1) -> tuple[nn.Module, tuple[torch.Tensor]]:
    """The program of one rank."""
    made = nn.Sequential(*(Layer(n, heads, rank, size) for n in range(layers)))
    return made, (weight("x", TOKENS, heads * SIZE).detach(),)


def run(requests: Any) -> Any:
    """Runs graphs in this process."""
    return [[run_graph(r.graph, {**r.shared, **s}, frozenset(r.wanted)) for s in r.sets] for r in requests]


def measure(degree: int, layers: int, limit: float) -> dict[str, Any]:
    """One cell."""
    heads = max(8, degree)
    started, used = perf_counter(), process_time()
    sequential = capture_rank(*model(layers, heads), "sequential")
    ranks = []
    for rank in range(degree):
        start_group(rank, degree)
        ranks.append(capture_rank(*model(layers, heads, rank, degree), "ranks"))
        dist.destroy_process_group()
    captured = perf_counter() - started
    before = process_time()
    found = decide(sequential, ranks, RelationFile(), Settings(seconds=limit), captured, run=run)
    return {
        **{"degree": degree, "layers": layers, "verdict": found.verdict, "ops": found.nodes, "related": found.related},
        **{name: round(seconds, 2) for name, seconds in found.phases.items()},
        "seconds": round(found.seconds, 2),
        "processor": round(process_time() - before, 2),
        "capture_processor": round(before - used, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = lambda text: [int(n) for n in text.split(",")]  # noqa: E731
    parser.add_argument("--degrees", type=numbers, default=[2, 4, 8])
    parser.add_argument("--layers", type=numbers, default=[1, 2, 4, 8])
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds a cell, without capture")
    parser.add_argument("--anew", action="store_true", help="measure all cells again")
    options = parser.parse_args()
    torch.set_num_threads(1)
    known = json.loads(FILE.read_text()) if FILE.exists() else []
    cells = {(c["degree"], c["layers"]): c for c in known}
    for degree in options.degrees:
        for layers in options.layers:
            if options.anew or (degree, layers) not in cells:
                cells[degree, layers] = measure(degree, layers, options.time_limit)
            print("  ".join(f"{key} {value}" for key, value in cells[degree, layers].items()), flush=True)
            FILE.write_text(json.dumps([cells[key] for key in sorted(cells)], indent=1) + "\n")


if __name__ == "__main__":
    main()
