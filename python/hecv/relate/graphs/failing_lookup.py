"""A target that does not run where the source does: its first look-up whose index is out of range, whatever parameters
and activations are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hecv.capture.value_process import Request
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.lookups import Lookup, all_lookups
from hecv.tensors.tensor_graph import TensorGraph


class FailingLookup(Struct, frozen=True):
    """The look-up and an index that is out of its range, the example inputs by the source's names, and the results of
    the source on them, which runs."""

    lookup: Lookup
    value: int
    inputs: Mapping[str, Any]
    results: Mapping[str, Any]


def failing_lookup(
    source: TensorGraph, target: TensorGraph, run: Callable[[Sequence[Request]], Sequence[Sequence[Any]]]
) -> FailingLookup | None:
    """The first look-up of the target that is out of range on its example inputs, and none of whose indices a parameter
    or another look-up changes.

    Raises: Unsupported if the source does not run on those inputs.
    """
    index = GraphIndex(target)
    given = [x.name for x in target.leaves if x.kind == "input"]
    names = [x.name for x in source.leaves if x.kind == "input"]
    inputs = {name: target.arrays[theirs] for name, theirs in zip(names, given, strict=True)}
    shared = {x.name: source.arrays[x.name] for x in source.leaves if x.kind != "input"}
    found = list(all_lookups(index))
    above = {x.index: index.above(x.index) for x in found}
    made = {name for x in found for name in x.node.results}
    parameters = {x.name for x in target.leaves if x.kind == "parameter"}
    plain = [x for x in found if not above[x.index] & (made | parameters)]
    needed = {name for x in plain for name in above[x.index]}
    nodes = tuple(node for node in target.nodes if any(name in needed for name in node.results))
    leaves = {x.name: target.arrays[x.name] for x in target.leaves}
    part = replace(target, nodes=nodes, outputs=())
    whole = Request(source, shared, [inputs], [ref.name for _, ref in source.outputs])
    (results,), (values,) = run([whole, Request(part, leaves, [{}], list(dict.fromkeys(x.index for x in plain)))])
    for lookup in plain:
        array = values[lookup.index]
        beyond = array[(array < lookup.low) | (array >= lookup.extent)]
        if beyond.size:
            return FailingLookup(lookup, int(beyond.flat[0]), inputs, results)
    return None
