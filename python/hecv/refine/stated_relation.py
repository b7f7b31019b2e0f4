"""The relation that a distributed program states itself, as a program of JAX does by its shardings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hecv.refine.clean_expressions import Tensor, Unclean, array_of
from hecv.refine.expression_text import parse
from hecv.refine.rank_candidates import same_values
from hecv.refine.relation_file import Lines, RelationFile
from hecv.tensors.tensor_graph import TensorGraph


def with_stated(
    given: RelationFile,
    leaves: Mapping[str, str],
    outputs: Mapping[str, str],
    sequential: TensorGraph,
    ranks: Sequence[TensorGraph],
) -> RelationFile:
    """The relation of a file, with what the program states of tensors that the file does not name: of results, and of
    what it is given where the sequential tensor of that name has the same value."""
    held = {Tensor(n, r): a for r, graph in enumerate(ranks) for n, a in graph.arrays.items()}
    results = [{name for name, _ in graph.outputs} for graph in ranks]
    found: dict[str, Lines] = {"leaves": given.leaves, "outputs": given.outputs}
    for name, text in leaves.items():
        if name in sequential.arrays and name not in given.leaves:
            expression = parse(text, lambda n: [r for r in range(len(ranks)) if Tensor(n, r) in held])
            try:
                made = array_of(expression, held.__getitem__)
            except Unclean:
                continue
            array = sequential.arrays[name]
            if made.shape == array.shape and same_values(array, made):
                found["leaves"] = {**found["leaves"], name: (expression,)}
    wanted = {name for name, _ in sequential.outputs}
    for name, text in outputs.items():
        if name in wanted and name not in given.outputs:
            expression = parse(text, lambda n: [r for r in range(len(ranks)) if n in results[r]])
            found["outputs"] = {**found["outputs"], name: (expression,)}
    return replace(given, leaves=found["leaves"], outputs=found["outputs"])
