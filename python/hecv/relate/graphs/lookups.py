"""Are the target's look-ups in range wherever the source's are? An index beyond a table is an error when a model runs,
and an element of nothing in a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct

from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.layouts import Layout, layout_of
from hecv.tensors.algebra.leaf_facts import LeafFact
from hecv.tensors.comprehension import Read, Scalar, Select, compare, leaf, scalar, select, truth
from hecv.tensors.definitions import Undefined
from hecv.tensors.index_terms import Index, Size, both, inside
from hecv.tensors.tensor_graph import Node, Ref
from hecv.tensors.term_bounds import EVERYTHING, Bounds, within

ALONG: Final = (
    *("aten.index_select.", "aten.gather.", "aten.scatter.", "aten.scatter_add.", "aten.scatter_reduce."),
    *("aten.index_add.", "aten.index_copy.", "aten.index_fill."),
)
"""Ops on a tensor, a dimension of it, and indices along that."""

LISTS: Final = ("aten.index.", "aten.index_put.")
"""Ops on a tensor and a list of indices, one for each dimension; negative ones count from its end."""

LOOKING_UP: Final = ("aten.embedding.", "aten.one_hot.", *ALONG, *LISTS)
"""Ops that look up indices."""


class Lookup(Struct, frozen=True):
    """An index that is data: its elements are at least `low` and below `extent`."""

    node: Node
    index: str
    low: int
    extent: int


def lookups_of(index: GraphIndex) -> tuple[Lookup, ...]:
    """The look-ups of a graph at indices that an input or parameter changes. Others are in range if the graph runs."""
    return tuple(lookup for lookup in all_lookups(index) if lookup.index in index.varying)


def all_lookups(index: GraphIndex) -> Iterator[Lookup]:
    """The look-ups of a graph that an output depends on."""
    for node in index.graph.nodes:
        if node.op.startswith(LOOKING_UP) and any(name in index.live for name in node.results):
            yield from (x for x in _in_node(node, index) if index.type_of(x.index).element != "i1")


def _in_node(node: Node, index: GraphIndex) -> Iterator[Lookup]:
    def shape(operand: Any) -> tuple[int, ...]:
        return index.type_of(operand.name).shape

    operands = node.operands
    if node.op.startswith("aten.embedding.") and isinstance(operands[1], Ref):
        yield Lookup(node, operands[1].name, 0, shape(operands[0])[0])
    elif node.op.startswith("aten.one_hot.") and isinstance(operands[0], Ref) and isinstance(operands[1], int):
        if operands[1] >= 0:
            yield Lookup(node, operands[0].name, 0, operands[1])
    elif node.op.startswith(ALONG) and isinstance(operands[1], int) and isinstance(operands[2], Ref):
        sizes = shape(operands[0]) or (1,)
        yield Lookup(node, operands[2].name, 0, sizes[operands[1] % len(sizes)])
    elif node.op.startswith(LISTS) and isinstance(operands[1], tuple):
        if any(not isinstance(n, Size) and n == 0 for n in node.types[0].shape):
            return  # torch does not look at the indices
        for part, extent in zip(operands[1], shape(operands[0]), strict=False):
            if isinstance(part, Ref):
                yield Lookup(node, part.name, -extent, extent)


IN_RANGE: Final = "index in range"
"""The assumption that an index which the source does not look up is within the table."""

IN_TABLE: Final = "index-in-table"
FILLED: Final = "indices of look-ups are within their tables, where JAX fills in NaN beyond"
"""The assumption on look-ups of a program of JAX: its name and its text."""


def settle(
    lookup: Lookup,
    sources: Sequence[Lookup],
    cones: Cones,
    facts: Mapping[str, LeafFact],
    values: tuple[Mapping[str, Any], Mapping[str, Any]],
    prove: Callable[[str, str, Layout], str],
) -> Literal["shown", "assumed", "open"]:
    """Whether a look-up of the target is shown to be in range: by the bounds of its index, or because the source looks
    up the same index in no larger a table. It is open where the source looks it up in a larger one; otherwise that is
    for the user to know, and assumed. `values` are those of both sides in a run."""

    with suppress(Undefined):
        element = cones.value(lookup.index, {})[0].generic()[1]
        if within(element, lookup.low, lookup.extent - 1, lambda read: _bounds(read, facts)):
            return "shown"
    theirs = values[1][lookup.index]
    larger = False
    for source in sources:
        ours = values[0][source.index]
        if source.low < lookup.low or source.extent > lookup.extent:
            larger = larger or not np.setdiff1d(theirs, ours).size
        elif ours.size == theirs.size and np.array_equal(ours.reshape(-1), theirs.reshape(-1)):
            layout = layout_of(np.arange(ours.size), ours.shape, theirs.shape)
            if layout is not None and not prove(source.index, lookup.index, layout):
                return "shown"
    return "open" if larger else "assumed"


def _bounds(read: Read, facts: Mapping[str, LeafFact]) -> Bounds:
    fact = facts.get(read.tensor, LeafFact())
    return (Fraction(0), Fraction(1)) if fact.boolean else fact.integers or EVERYTHING


def in_range(
    lookup: Lookup,
    cones: Cones,
    facts: Mapping[str, LeafFact],
    sizes: tuple[Index, ...],
    prove: Callable[[Sequence[Index], Scalar, Scalar], bool],
) -> bool:
    """Whether a look-up in a graph of symbolic sizes is shown to be in range, for all values of their variables."""
    low, extent = lookup.low, lookup.extent
    with suppress(Undefined):
        tensor = cones.value(lookup.index, {})[0]
        indices, element = tensor.generic()
        symbolic = isinstance(extent, Size)
        if not symbolic and within(element, low, extent - 1, lambda read: _bounds(read, facts)):
            return True
        there = both(compare("le", scalar(low), element), compare("lt", element, scalar(extent)))
        return prove((*indices, *sizes), select(inside(indices, tensor.shape), truth(there), 1), scalar(1))
    return False


def is_same(lookup: Lookup, other: Lookup, index: GraphIndex, other_index: GraphIndex) -> bool:
    """Whether two look-ups are in tables of one size, at indices in tensors of one shape."""
    with suppress(Undefined):
        shapes = index.type_of(lookup.index).shape, other_index.type_of(other.index).shape
        return (lookup.low, lookup.extent) == (other.low, other.extent) and shapes[0] == shapes[1]
    return False


def input_ranges(index: GraphIndex) -> dict[str, tuple[int, int]]:
    """The least and greatest elements of inputs that a graph looks up, beyond which it does not run."""
    found: dict[str, tuple[int, int]] = {}
    cones = Cones(index, {x.name: leaf(x.name, x.type.shape, x.type.element) for x in index.graph.leaves})
    for lookup in lookups_of(index):
        if isinstance(lookup.extent, Size):
            continue
        name, least = index.origin(lookup.index), lookup.low
        if name not in index.leaves:
            name, least = _counted_from_the_end(lookup, index, cones), -lookup.extent
        if name in index.leaves and lookup.extent:
            low, high = found.get(name, (least, lookup.extent - 1))
            found[name] = max(low, least), min(high, lookup.extent - 1)
    return found


def _counted_from_the_end(lookup: Lookup, index: GraphIndex, cones: Cones) -> str:
    """The input of which each element `i` is looked up as `i < 0 ? i + extent : i`, as JAX does; empty if it is not."""
    with suppress(Undefined):
        value = cones.value(lookup.index, {})[0]
        places, element = value.generic()
        if isinstance(element, Select) and isinstance(read := element.no, Read):
            wrapped = select(compare("lt", read, 0), read + lookup.extent, read)
            extents = dict(zip(places, value.shape, strict=True))
            if lookup.low == 0 and wrapped is element and reads_all(read, extents, index.type_of(read.tensor).shape):
                return read.tensor
    return ""


def reads_all(read: Read, extents: Mapping[Index, int], sizes: tuple[int, ...]) -> bool:
    """Whether a read at indices of these extents reads all elements of a tensor of these sizes: each once, in whatever
    order of dimensions. `table[ids[:4]]` says nothing of `ids[4]`."""
    return set(read.indices) == set(extents) and tuple(extents[i] for i in read.indices) == sizes
