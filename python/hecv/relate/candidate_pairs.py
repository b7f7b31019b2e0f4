"""Candidate pairs: values of both graphs that are equal on all input sets, up to a layout (EMERGE 3.2).

Only ops that compute are looked at, not those that move elements, and only what an input or parameter changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.relate.graphs.cones import moves_elements
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.layouts import Layout, close, locate
from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Node, Operand, Ref

Values = Mapping[str, Any]

_SAME_MOMENT: Final = 1e-8
"""Relative difference, at most, of the sums of squares of equal values, whose rounding depends on their order."""


class Candidate(Struct, frozen=True):
    """A value of the target, one of the source, and where its elements stand there."""

    target: str
    source: str
    layout: Layout


def computed_values(index: GraphIndex, computing: bool = True) -> tuple[str, ...]:
    """The float values that an output needs and that ops compute of inputs and parameters, or cut out of such values or
    join, in topological order; if not `computing`, those that ops only move as well."""
    known: dict[Any, bool] = {}

    def moves(node: Node) -> bool:
        key = signature_of(node, index)
        if key not in known:
            known[key] = moves_elements(node, index) and not _cuts_or_joins(node, index)
        return known[key]

    return tuple(
        name
        for node in index.graph.nodes
        if any(name in index.live and name in index.varying for name in node.results)
        and not (computing and moves(node))
        for name, kind in zip(node.results, node.types, strict=True)
        if name in index.live and name in index.varying and "f" in kind.element and 0 not in kind.shape
    )


def _cuts_or_joins(node: Node, index: GraphIndex) -> bool:
    """Whether each result has fewer elements than an operand, or joins several: what one side merges are
    values of the other side."""
    operands = [prod(index.type_of(name).shape) for name in operands_of(node)]
    return len(operands) > 1 or all(prod(kind.shape) < max(operands, default=0) for kind in node.types)


def signature_of(node: Node, index: GraphIndex) -> Hashable:
    """What a node is but for the values that it reads: their types."""
    return node.op, _signature(node.operands, index), _signature(tuple(node.keywords.items()), index), node.types


def _signature(operand: Operand, index: GraphIndex) -> Hashable:
    """An operand with the types of its values in their place."""
    if isinstance(operand, Ref):
        return index.type_of(operand.name)
    if isinstance(operand, tuple):
        return tuple(_signature(part, index) for part in operand)
    return type(operand), operand


def find_candidates(
    targets: Sequence[str],
    sources: Sequence[str],
    target_sets: Sequence[Values],
    source_sets: Sequence[Values],
    moments: bool = True,
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates, in the order of `targets`, and for each target a source value that has its elements in whatever
    order. Without `moments` all values of one size are compared."""
    shelves: dict[int, list[tuple[float, int]]] = {}
    for k, name in enumerate(sources):
        array = source_sets[0][name]
        shelves.setdefault(array.size, []).append((_moment(array), k))
    for shelf in shelves.values():
        shelf.sort()
    found: list[Candidate] = []
    alike: dict[str, str] = {}
    taken: dict[str, int] = {}
    for name in targets:
        array = target_sets[0][name]
        shelf = shelves.get(array.size, [])
        near = _near(shelf, _moment(array)) if moments else sorted(k for _, k in shelf)
        matches = [sources[k] for k in near]
        matches = [
            s
            for s in matches
            if all(_same_values(a[name], b[s]) for a, b in zip(target_sets, source_sets, strict=True))
        ]
        if matches:
            alike[name] = min(matches, key=lambda s: taken.get(s, 0))
        # Of equal values, as of a node and its copy, those that are not taken yet come first.
        for source in sorted(matches, key=lambda s: taken.get(s, 0)):
            layout = locate(source_sets[0][source], array)
            if layout is not None and all(
                _fits(layout, b[source], a[name]) for a, b in zip(target_sets, source_sets, strict=True)
            ):
                taken[source] = taken.get(source, 0) + 1
                alike[name] = source
                found.append(Candidate(name, source, layout))
                break
    return found, alike


def _moment(array: Any) -> float:
    finite = array[np.isfinite(array)]
    return float(np.dot(finite, finite))


def _near(shelf: Sequence[tuple[float, int]], moment: float) -> list[int]:
    low, high = moment * (1 - _SAME_MOMENT), moment * (1 + _SAME_MOMENT)
    start = bisect_left(shelf, (low, -1))
    found: list[int] = []
    while start < len(shelf) and shelf[start][0] <= high:
        found.append(shelf[start][1])
        start += 1
    return sorted(found)


def _same_values(left: Any, right: Any) -> bool:
    return close(np.sort(left.reshape(-1)), np.sort(right.reshape(-1)))


def _fits(layout: Layout, source: Any, target: Any) -> bool:
    """Whether the layout maps the values of this set too."""
    places = np.indices(target.shape)
    of: list[Any] = [np.zeros(target.shape, np.int64) for _ in source.shape]
    for digit in layout.digits:
        of[digit.of] = of[digit.of] + places[digit.to] // digit.below % digit.size * digit.weight
    return close(source[tuple(of)] if source.ndim else source.reshape(target.shape), target)
