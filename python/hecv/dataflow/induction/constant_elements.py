"""Constant memories compared element by element: what is left to show of a constant that a pass computed.

Example: a transposed constant, or a slice of one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.dataflow.model.term_instances import At, Initial, Position
from hecv.dataflow.model.value_dataflow import Dataflow

MOST_COMPARED: Final = 20_000
"""The most pairs of elements that are compared."""


class Held(Struct, frozen=True):
    """The contents of a position: those of a constant with these extents, in row-major order, or one literal for every
    element."""

    contents: tuple[Term, ...]
    extents: tuple[int, ...] | None

    def at(self, index: tuple[int, ...]) -> Term:
        """The literal at an element of the constant."""
        if len(self.contents) == 1:
            return self.contents[0]
        assert self.extents is not None
        place = 0
        for i, extent in zip(index, self.extents, strict=True):
            place = place * extent + i
        return self.contents[place]


def hold_same(flows: tuple[Dataflow, Dataflow], source: Position, target: Position, relation: isl.Map) -> bool:
    """Whether two positions, at least one of them a constant memory, hold the same literals, bit for bit, wherever the
    relation holds, for all parameters.

    False also if the relation leaves the bounds of the constants, or relates too many elements.
    """
    first, second = (_held(flow, at) for flow, at in zip(flows, (source, target), strict=True))
    if first is None or second is None:
        return False
    pairs = relation.project_out(isl.dim_type.param, 0, relation.dim(isl.dim_type.param))
    ends = pairs.domain(), pairs.range()
    if not (_within(first, ends[0]) and _within(second, ends[1])):
        return False
    if len(first.contents) == len(second.contents) == 1:
        return first.contents[0] is second.contents[0]
    if len(first.contents) == 1:
        return _all(ends[1], lambda at: second.at(at) is first.contents[0])
    if len(second.contents) == 1:
        return _all(ends[0], lambda at: first.at(at) is second.contents[0])
    rank = len(first.extents or ())
    few = pairs.is_single_valued() or pairs.is_injective()  # no more pairs than elements
    return few and _all(pairs.wrap(), lambda at: first.at(at[:rank]) is second.at(at[rank:]))


def _held(flow: Dataflow, position: Position) -> Held | None:
    """The contents of a position; None if they are no literals, or too many."""
    if isinstance(position, At) and position.term.op == "const":
        return Held((position.term,), None)
    if not isinstance(position, Initial):
        return None
    memory = flow.program.arrays[position.array].memory
    constant = next((c for c in flow.program.function.constants if c.memory.id == memory.id), None)
    extents = tuple([n for n in map(literal, memory.extents) if isinstance(n, int)])
    if constant is None or constant.contents is None or len(extents) < len(memory.extents):
        return None
    known = len(constant.contents) in (1, prod(extents)) and prod(extents) <= MOST_COMPARED
    return Held(constant.contents, extents) if known else None


def _within(held: Held, elements: isl.Set) -> bool:
    """Whether elements are those of a constant."""
    inside = isl.Set.universe(elements.get_space())
    for k, extent in enumerate(held.extents or ()):
        inside = inside.lower_bound_val(isl.dim_type.set, k, isl.Val(0, elements.get_ctx()))
        inside = inside.upper_bound_val(isl.dim_type.set, k, isl.Val(extent - 1, elements.get_ctx()))
    return elements.is_subset(inside)


def _all(points: isl.Set, holds: Callable[[tuple[int, ...]], bool]) -> bool:
    """Whether something holds at all points of a set."""
    count = range(points.dim(isl.dim_type.set))
    failed: list[isl.Point] = []

    def look(point: isl.Point) -> None:
        if not failed and not holds(tuple([point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in count])):
            failed.append(point)

    points.foreach_point(look)
    return not failed
