"""Widening: a larger relation between instances for an obligation that comes up again.

The largest candidate is an affine hull. A hull keeps equalities and loses floors. Example: a clean-up loop starts at `2
* (i floordiv 2)`; the last iteration before it is `k = i - 1` for even `i` and `k = i - 2` for odd `i`; the hull of
both is any `k`. So each floor of induction variables in the domain of either side becomes an extra dimension `f`; the
hull is then `k = 2 * f - 1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

import islpy as isl

from hecv.dataflow.model.reaching_definitions import elements_within
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Position, Unsettled
from hecv.dataflow.model.value_dataflow import Dataflow, Isl

FLOOR: Final = "floor("
Loop = tuple[str, ...]
"""A loop, identified by its place: the prefix of the schedules of its statements that ends in its variable."""

NAME: Final = re.compile(r"\w+")
MOST_FLOORS: Final = 8
"""The most floors that become dimensions of one hull."""

MOST_ORDERED: Final = 8
"""The most dimensions of a relation for which orders between pairs of dimensions are tried."""


class Widening:
    """Widens relations between positions of two programs."""

    def __init__(self, space: Isl, source: Dataflow, target: Dataflow, careful: bool = False) -> None:
        """`careful` starts with hulls at some of the parameters only."""
        self._careful = careful
        self._space = space
        self._flows = source, target
        self._named = tuple(floors_of(flow.program.statements) for flow in self._flows)
        self._floors: dict[tuple[str, str], isl.Map | None] = {}

    def wider(
        self, source: Position, target: Position, known: isl.Map, more: isl.Map, latest: isl.Map | None
    ) -> Iterator[isl.Map]:
        """Relations that contain `known` and `more`, within the domains of both sides; the widest first, except hulls
        that keep more facts.

        `latest` is what was added to `known` before. The first element may be an exception: the last tile is shorter
        than the others; then the hull of `latest` and `more` alone is tried. If the hull of everything no longer
        determines one instance by the other, it comes last.

        Parameters are fixed during an induction, and a fact about the instances at some parameters may fail at others:
        if a loop does not run, a value is the one from before it at every iteration of the loop around it. So a
        `careful` proof starts with a hull at those parameters only at which `more` adds something.
        """
        left, right = self._domain(self._flows[0], source), self._domain(self._flows[1], target)

        def within(hull: isl.BasicMap | isl.Map) -> isl.Map:
            whole = hull if isinstance(hull, isl.Map) else isl.Map.from_basic_map(hull)
            return whole.intersect_domain(left).intersect_range(right)

        relation = self._space.coalesced(known.union(more))
        if self._careful:
            here = more.subtract(known).params()
            hull = within(relation.intersect_params(here).affine_hull()).intersect_params(here)
            yield hull if known.params().is_subset(here) else self._space.coalesced(known.union(hull))
        floors = self._floors_of(source, target)
        if floors is not None:
            yield within(_hull_with(relation, floors))
        hull = within(relation.affine_hull())
        lost = _is_function(relation) and not _is_function(hull)
        if lost and latest is not None:
            yield known.union(within(latest.union(more).affine_hull()))
        if lost:
            yield relation
        yield hull
        ordered = _with_orders(relation, hull)
        if ordered is not None:
            yield ordered
        yield within(relation.unshifted_simple_hull())
        if not lost:
            yield relation

    def _floors_of(self, source: Position, target: Position) -> isl.Map | None:
        """The floors that both programs have in their domains, by pair of instances; None where there are none."""
        source, target = (p.at if isinstance(p, Unsettled) else p for p in (source, target))
        if not (isinstance(source, At) and isinstance(target, At)):
            return None
        first, second = source.statement, target.statement
        key = first.name, second.name
        if key not in self._floors:
            pair = f"[{first.tuple_text()} -> {second.tuple_text()}]"
            sides = zip(self._named, (first, second), strict=True)
            texts = [text for named, side in sides for text, loops in named.items() if loops_around(side) & loops]
            values = ", ".join(texts[:MOST_FLOORS])
            self._floors[key] = self._space.map(f"{{ {pair} -> [{values}] }}") if texts else None
        return self._floors[key]

    def _domain(self, flow: Dataflow, position: Position) -> isl.Set:
        position = position.at if isinstance(position, Unsettled) else position
        if isinstance(position, At):
            return flow.domains[position.statement.name]
        return elements_within(self._space, flow.program, position)


def floors_of(statements: Sequence[Instances]) -> dict[str, set[Loop]]:
    """Every floor in the domains of statements, with the innermost loops whose variables it contains.

    It may be an extra dimension of any statement in that loop; it says nothing of the variables of other loops.
    """
    found: dict[str, set[Loop]] = {}
    for statement in statements:
        loops = loops_around(statement)
        for text in floors_in(statement.domain_text()):
            names = set(statement.dims).intersection(NAME.findall(text))
            inside = [loop for loop in loops if loop[-1] in names]
            if inside:
                found.setdefault(text, set()).add(max(inside, key=len))
    return found


def loops_around(statement: Instances) -> set[Loop]:
    """The loops around a statement."""
    places = (place for place, text in enumerate(statement.schedule) if text in statement.dims)
    return {statement.schedule[: place + 1] for place in places}


def _is_function(relation: isl.Map) -> bool:
    """Whether no instance is related to two, seen from one of the sides."""
    return bool(relation.is_single_valued()) or bool(relation.is_injective())


def _hull_with(relation: isl.Map, values: isl.Map) -> isl.Map:
    """The affine hull of a relation in which the given values are extra dimensions of each pair."""
    extended = values.intersect_domain(relation.wrap())
    return isl.Map.from_basic_map(extended.affine_hull()).intersect(values).domain().unwrap()


def _with_orders(relation: isl.Map, hull: isl.Map) -> isl.Map | None:
    """The hull with the orders between dimensions that hold in the relation; None if there are none.

    Example: in each iteration `i`, an element `j <= i` is a copy of one computed before, and `j > i` is not: without
        the order, the hull of both relates no values.
    """
    given, wider = relation.wrap(), hull.wrap()
    count = given.dim(isl.dim_type.set)
    if count > MOST_ORDERED:
        return None
    found = wider
    for low, high in permutations(range(count), 2):
        halves = (_apart(given.get_space(), low, high, least) for least in (1, 0))
        half = next((h for h in halves if given.is_subset(h)), None)
        found = found if half is None else found.intersect(half)
    return None if wider.is_subset(found) else found.unwrap()


def _apart(space: isl.Space, low: int, high: int, least: int) -> isl.Set:
    """Where one dimension is greater than another by at least so much."""
    half = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(space)).set_constant_val(-least)
    half = half.set_coefficient_val(isl.dim_type.set, low, -1).set_coefficient_val(isl.dim_type.set, high, 1)
    return isl.Set.from_basic_set(isl.BasicSet.from_constraint(half))


def floors_in(text: str) -> Iterator[str]:
    """Every `floor(...)` in an isl text, outer ones before those inside them."""
    start = text.find(FLOOR)
    while start >= 0:
        depth, end = 0, start + len(FLOOR) - 1
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        yield text[start:end]
        start = text.find(FLOOR, start + 1)
