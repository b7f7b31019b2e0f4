"""The answer for two programs of a file in `programs/`, captured in this process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from hecv.base.diagnostics import Location
from hecv.capture.value_process import Request
from hecv.refine.relation_file import read_relation
from hecv.refine.sized_programs import at_example, stated_sizes
from hecv.refinement import Degree, Settings, decide
from hecv.tensors.tensor_graph import TensorGraph

PROGRAMS = Path(__file__).parent / "programs"


def programs(name: str) -> ModuleType:
    if str(PROGRAMS) not in sys.path:
        sys.path.insert(0, str(PROGRAMS))
    return importlib.import_module(name)


def run(requests: Sequence[Request]) -> list[list[Mapping[str, Any]]]:
    from hecv.torch.graph_runner import run_graph

    return [[run_graph(r.graph, {**r.shared, **s}, frozenset(r.wanted)) for s in r.sets] for r in requests]


def answer(
    file: str,
    sequential: str,
    distributed: str,
    ranks: int = 2,
    relation: str = "",
    defined_ops: Mapping[str, Location] | None = None,
) -> Degree:
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    def captured(program: Any, name: str) -> TensorGraph:
        model, arguments, *dynamic = program
        return capture_rank(model, arguments, name, *dynamic)

    made = programs(file)
    ours = captured(getattr(made, sequential)(), sequential)
    theirs = []
    for rank in range(ranks):
        start_group(rank, ranks)
        try:
            theirs.append(captured(getattr(made, distributed)(rank, ranks), distributed))
        finally:
            dist.destroy_process_group()
    sizes = stated_sizes(ours, theirs)
    example, *others = (at_example(graph, sizes) for graph in (ours, *theirs))
    given = read_relation("R.toml", relation, example, others)
    return decide(ours, theirs, given, Settings(), run=run, defined_ops=defined_ops)
