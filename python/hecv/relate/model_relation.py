"""Do two graphs of tensors compute the same: leaves related, values run, candidate pairs found and proved, the first op
located where they differ (EMERGE, Algorithm 1).

relate leaves  ->  run both on input sets in f64  ->  candidate pairs by values  ->  proofs in topological order
               ->  outputs proved: equivalent | outputs differ in all runs: not equivalent | otherwise unknown
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Final

import numpy as np
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.parameters.parameter_relation import Expression
from hecv.relate.graph_relation import (
    USUAL,
    GraphRelation,
    Run,
    SearchOptions,
    Values,
)
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.model_search import AllSizes, Clock, ModelSearch, NotANumber
from hecv.tensors.symbolic_sizes import at_numbers, for_all, runs
from hecv.tensors.tensor_graph import Operand, Symbols, TensorGraph

LOWEST: Final = tuple(-float(x) for x in (65504.0, 2.0**128 * (1 - 2.0**-8), 2.0**128 * (1 - 2.0**-24)))
"""The least finite numbers of f16, bf16 and f32. In masks they stand for minus infinity."""

_MASKS: Final = ("aten.full.", "aten.full_like.", "aten.new_full.", "aten.where.", "aten.masked_fill.", "aten.scalar_")


def relate_graphs(
    source: TensorGraph,
    target: TensorGraph,
    given: Mapping[str, Expression],
    run: Run,
    deadline: float,
    search: SearchOptions = USUAL,
    sizes: Symbols = (),
) -> GraphRelation:
    """Decides whether the target computes what the source computes, until a time. Inputs and outputs are paired by
    position; `given` are expressions for the target's parameters, `sizes` the symbols of both graphs.

    Requires: inputs and outputs agree in number and type.
    Raises: Unsupported if an op cannot be run; UnmatchedParameters.
    """
    clock = Clock()
    (first, ours), (second, theirs) = _without_lowest(source), _without_lowest(target)
    if ours + theirs:
        # Where a mask is multiplied, or hides a whole row, minus infinity does not do for the least finite number.
        with suppress(NotANumber):
            found = _decided(first, second, given, run, deadline, clock, search, sizes, True)
            return replace(found, lowest=ours + theirs)
    return _decided(source, target, given, run, deadline, clock, search, sizes, False)


def _decided(
    source: TensorGraph,
    target: TensorGraph,
    given: Mapping[str, Expression],
    run: Run,
    deadline: float,
    clock: Clock,
    options: SearchOptions,
    sizes: Symbols,
    numbers: bool,
) -> GraphRelation:
    """The verdict for all sizes: a difference at some sizes refutes it, and proofs are for all."""
    if not sizes:
        search = ModelSearch(GraphIndex(source), GraphIndex(target), given, run, deadline, clock, options)
        return search.decide(search.run(), numbers)
    symbolic, variables = for_all(sizes)
    every = AllSizes(GraphIndex(symbolic(source)), GraphIndex(symbolic(target)), variables)

    def searched(ways: Sequence[Mapping[str, int]]) -> Iterator[tuple[ModelSearch, Values]]:
        pairs = [(GraphIndex(at_numbers(source, at)), GraphIndex(at_numbers(target, at))) for at in ways]
        searches = [ModelSearch(one, other, given, run, deadline, clock, options, every=every) for one, other in pairs]
        made = iter(run([request for search in searches for request in search.requests()]))
        return zip(searches, zip(made, made, strict=True), strict=True)

    def refuted(
        ways: Sequence[Mapping[str, int]], searches: Iterable[tuple[ModelSearch, Values]]
    ) -> GraphRelation | None:
        for at, (search, values) in zip(ways, searches, strict=True):
            differing = search.refutation(values, numbers)
            if differing is not None:
                return replace(differing, sizes=sizes, at=at, ways=len(ways))
        return None

    few, more = runs(sizes, (source, target))
    searches = list(searched(few))
    found = refuted(few, searches)
    if found is None:
        search, values = searches[0]
        found = replace(search.decide(values, numbers), sizes=sizes, at=few[0], ways=len(few))
        if found.verdict == "unknown" and more and perf_counter() < deadline:
            with suppress(Unsupported):
                return refuted(more, searched(more)) or found
    return found


def _without_lowest(graph: TensorGraph) -> tuple[TensorGraph, int]:
    """The graph with minus infinity for the least finite number of a float type in ops that make masks, and how often
    that is."""
    count = 0

    def changed(operand: Operand) -> Operand:
        nonlocal count
        if isinstance(operand, float) and operand in LOWEST:
            count += 1
            return -np.inf
        return operand

    nodes = tuple(
        replace(node, operands=tuple(map(changed, node.operands))) if node.op.startswith(_MASKS) else node
        for node in graph.nodes
    )
    arrays = dict(graph.arrays)
    for x in graph.leaves:
        is_number = x.kind == "constant" and x.type.shape == () and "f" in x.type.element
        if is_number and float(arrays[x.name]) in LOWEST:
            arrays[x.name] = np.array(-np.inf)
            count += 1
    return replace(graph, nodes=nodes, arrays=arrays), count
