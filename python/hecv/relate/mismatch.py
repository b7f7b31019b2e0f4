"""Localises a difference: the first op of the target, in topological order, whose operands the source has and whose
result it has not, and the op of the source in its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.relate.graphs.cones import moves_elements
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.layouts import close
from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Node

PLAIN: Final = 1e-6
"""Relative difference that outputs exceed at least where models differ; that of rounding in f64 is far below."""

ROUNDING: Final = 1e-9
"""Relative difference that rounding in f64 stays far below."""

ABOVE_STORAGE: Final = 8
"""How many times more than by rounding, of stored tables or of what ops compute, outputs differ at least."""

LARGEST: Final = 1 << 16
"""Elements, at most, of an integer, boolean or constant that is looked for on the other side."""

JITTER: Final = 1e-14
"""Relative change of what ops compute in f64 that is above its rounding."""


class Mismatch(Struct, frozen=True):
    """The first ops that differ, and the buffers and constants without a counterpart that the target's op reads.
    `constants`: the ops compute of constants alone, and these are elements of both in which they differ."""

    source: Node | None
    target: Node | None
    reads: tuple[str, ...]
    constants: tuple[float, float] | None = None


class OutputDifference(Struct, frozen=True):
    """The largest difference of an output: in input set `number`, at a flat place, relative to the largest element."""

    output: int
    number: int
    place: int
    source: float
    target: float
    relative: float


def largest_difference(
    sources: Sequence[Mapping[str, Any]],
    targets: Sequence[Mapping[str, Any]],
    outputs: Sequence[tuple[str, str]],
) -> list[OutputDifference]:
    """For each input set the output with the largest relative difference, if any output differs."""
    found: list[OutputDifference] = []
    for number, (ours, theirs) in enumerate(zip(sources, targets, strict=True)):
        differences = [_difference(k, number, ours[a], theirs[b]) for k, (a, b) in enumerate(outputs)]
        known = [d for d in differences if d is not None]
        if known:
            found.append(max(known, key=lambda d: d.relative))
    return found


def _difference(output: int, number: int, source: Any, target: Any) -> OutputDifference | None:
    if not source.size or source.shape != target.shape:
        return None
    left, right = source.reshape(-1).astype(np.float64), target.reshape(-1).astype(np.float64)
    both = np.isfinite(left) & np.isfinite(right)
    alike = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        away = np.where(both, np.abs(left - right), np.where(alike, 0.0, np.inf))
    scale = max(1e-30, float(np.abs(left[both]).max(initial=0.0)), float(np.abs(right[both]).max(initial=0.0)))
    place = int(away.argmax())
    if not away[place]:
        return None
    return OutputDifference(output, number, place, float(left[place]), float(right[place]), float(away[place]) / scale)


def without_rounding(ours: Any, theirs: Any) -> Any:
    """The target's elements, with the source's where they differ by rounding alone."""
    if ours.shape != theirs.shape or ours.dtype.kind != "f":
        return theirs
    return np.where(np.isclose(ours, theirs, rtol=ROUNDING, atol=0, equal_nan=True), ours, theirs)


class Shared(Struct, frozen=True):
    """What both sides have: for floats of the target that inputs and parameters change, floats of the source that are
    equal to them; and of both sides the integers, booleans and constants (`other_values`), with those among them that
    the other side has."""

    alike: Mapping[str, str]
    values: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    others: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    def known(self, side: int) -> frozenset[str]:
        """The values of one side that the other side has."""
        return frozenset(self.alike if side else self.alike.values()) | self.others[side]


def other_values(index: GraphIndex) -> tuple[str, ...]:
    """The integers and booleans that inputs or parameters change, and what ops compute of constants."""
    return tuple(
        name
        for node in index.graph.nodes
        for name, kind in zip(node.results, node.types, strict=True)
        if name in index.live and prod(kind.shape) <= LARGEST and (name not in index.varying or "f" not in kind.element)
    )


def on_both_sides(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    """The values of each side whose elements, in their order, are those of a value of the other side."""
    shelves: dict[tuple[str, int], list[tuple[str, Any]]] = {}
    for name, array in ours.items():
        shelves.setdefault((array.dtype.kind, array.size), []).append((name, array.reshape(-1)))
    found = set[str](), set[str]()
    for name, array in theirs.items():
        shelf = shelves.get((array.dtype.kind, array.size), [])
        same = [other for other, flat in shelf if _same_elements(flat, array.reshape(-1))]
        found[0].update(same)
        found[1].update([name] if same else [])
    return frozenset(found[0]), frozenset(found[1])


def _same_elements(left: Any, right: Any) -> bool:
    """Whether arrays of one shape are equal, floats but for rounding."""
    return close(left, right) if left.dtype.kind == "f" else bool(np.array_equal(left, right))


def locate_mismatch(
    source: GraphIndex, target: GraphIndex, outputs: tuple[str, str], shared: Shared, kept: Collection[str]
) -> Mismatch:
    """The first ops that differ on the way to a pair of outputs that differ; `kept` are leaves that have no
    counterpart."""
    theirs = _first(target, outputs[1], shared.known(1))
    ours = _first(source, outputs[0], shared.known(0), theirs)
    reads = () if theirs is None else tuple(sorted(set(kept) & target.above(*_fixed(target, theirs))))
    if ours is None or theirs is None or not shared.values[0]:
        return Mismatch(ours, theirs, reads)
    mine = _first_of_constants(source, ours, shared.known(0))
    other = _first_of_constants(target, theirs, shared.known(1))
    if mine is not None and other is None and _fixed(target, theirs):
        return Mismatch(mine, theirs, reads)
    if mine is None or other is None or mine.op != other.op:
        return Mismatch(ours, theirs, reads)
    elements = _differing_elements(shared.values[0][mine.results[0]], shared.values[1][other.results[0]])
    return Mismatch(mine, other, reads, elements)


def _differing_elements(ours: Any, theirs: Any) -> tuple[float, float]:
    """The first elements that differ; the last ones if one has all that the other has."""
    left, right = ours.reshape(-1), theirs.reshape(-1)
    size = min(left.size, right.size)
    places = np.flatnonzero(~np.isclose(left[:size], right[:size], rtol=ROUNDING, atol=0, equal_nan=True))
    k = int(places[0]) if places.size else -1
    return float(left[k]), float(right[k])


def _fixed(index: GraphIndex, node: Node) -> list[str]:
    return [name for name in operands_of(node) if name not in index.varying]


def _first_of_constants(index: GraphIndex, node: Node, known: Collection[str]) -> Node | None:
    """The first op, of those that compute the constants which a node reads, whose result the other side has not."""
    met = index.above(*_fixed(index, node))
    return next(
        (
            n
            for n in index.graph.nodes
            if n.results[0] in met and n.results[0] not in known and not (operands_of(n) and moves_elements(n, index))
        ),
        None,
    )


def _first(index: GraphIndex, output: str, known: Collection[str], like: Node | None = None) -> Node | None:
    """The first op that computes, above an output and not above a known value; of those whose operands are known, one
    of the same op as `like`, if they are in one module."""
    met, waiting = set[int](), [output]
    while waiting:
        name = waiting.pop()
        if name in known or name not in index.varying or name not in index.makers:
            continue
        number = index.makers[name][0]
        if number not in met:
            met.add(number)
            waiting += operands_of(index.graph.nodes[number])
    nodes = [index.graph.nodes[k] for k in sorted(met)]
    first: list[Node] = []
    behind = set[str]()
    for node in nodes:
        late = not behind.isdisjoint(operands_of(node))
        if late or not moves_elements(node, index):
            behind.update(name for name in node.results if name not in known)
            first += [] if late else [node]
    if not first:
        return nodes[0] if nodes else None
    path = first[0].place.path if first[0].place else ""
    near = [n for n in first if n.place is not None and n.place.path == path]
    return next((n for n in near if like is not None and n.op == like.op), first[0])
