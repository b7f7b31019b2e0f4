"""Localises a difference: the first op of the target, in topological order, whose operands the source has and whose
result it has not, and the op of the source in its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.relate.cones import moves_elements
from hecv.relate.graph_index import GraphIndex
from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Node

PLAIN: Final = 1e-6
"""Relative difference that outputs exceed at least where models differ; that of rounding in f64 is far below."""

ROUNDING: Final = 1e-9
"""Relative difference that rounding in f64 stays far below."""

ABOVE_STORAGE: Final = 8
"""How many times more than by rounding, of stored tables or of what ops compute, outputs differ at least."""

JITTER: Final = 1e-14
"""Relative change of what ops compute in f64 that is above its rounding."""


class Mismatch(Struct, frozen=True):
    """The first ops that differ, and the buffers and constants without a counterpart that the target's op reads."""

    source: Node | None
    target: Node | None
    reads: tuple[str, ...]


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


def locate_mismatch(
    source: GraphIndex, target: GraphIndex, outputs: tuple[str, str], alike: Mapping[str, str], kept: Collection[str]
) -> Mismatch:
    """The first ops that differ on the way to a pair of outputs that differ. `alike` has for values of the target the
    values of the source that are equal to them; `kept` are leaves without a counterpart."""
    theirs = _first(target, outputs[1], alike.keys())
    ours = _first(source, outputs[0], set(alike.values()), theirs)
    fixed = [] if theirs is None else [name for name in operands_of(theirs) if name not in target.varying]
    reads = tuple(sorted(set(kept).intersection(*map(target.leaves_of, fixed)))) if fixed else ()
    return Mismatch(ours, theirs, reads)


def _first(index: GraphIndex, output: str, known: Collection[str], like: Node | None = None) -> Node | None:
    """The first op that computes, above an output and not above a known value; one of the same op as `like` if the
    first ones are in one module."""
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
    computing = [n for n in nodes if not moves_elements(n, index)]
    if not computing:
        return nodes[0] if nodes else None
    path = computing[0].place.path if computing[0].place else ""
    near = [n for n in computing if n.place is not None and n.place.path == path]
    return next((n for n in near if like is not None and n.op == like.op), computing[0])
