"""Reaching definitions of a read, as positions: the values written, or the initial value."""

from __future__ import annotations

import islpy as isl

from hecv.base.term import Term
from hecv.dataflow.model.scop import Flattened
from hecv.dataflow.model.term_instances import At, Initial, Place, Position, Unsettled, reads
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text, undefined_at_first


class Origins:
    """The reaching definitions of reads; one object a proof, so that the elements that are read are cached."""

    def __init__(self, space: Isl) -> None:
        self._space = space
        self._elements: dict[Place, isl.Map] = {}

    def of(self, flow: Dataflow, position: Position) -> list[tuple[Position, isl.Map | None]]:
        """The positions that the value of a position comes from, each with the map from the position's instances; the
        position itself (and None) if it is not a read."""
        if not isinstance(position, At) or not reads(position):
            return [(position, None)]
        producers = flow.producers[position.statement.name, position.term]
        found = self.nominal(flow, position)
        if producers.unsettled is None:
            return [*found]
        certain = ((origin, step.subtract_domain(producers.unsettled)) for origin, step in found)
        rest = (Unsettled(position), producers.unsettled.identity())
        return [*((origin, step) for origin, step in certain if not step.is_empty()), rest]

    def nominal(self, flow: Dataflow, position: At) -> list[tuple[Position, isl.Map]]:
        """The positions that a read's value comes from if no arrays overlap: the producers in order, then the initial
        value."""
        producers = flow.producers[position.statement.name, position.term]
        found: list[tuple[Position, isl.Map]] = []
        for writer, to_writer in producers.writes:
            assert writer.value is not None
            found.append((At(writer, writer.value), to_writer))
        if producers.initial is not None:
            array = position.statement.reads[position.term].array
            element = self._element(position).intersect_domain(producers.initial)
            found.append((Initial(array, undefined_at_first(flow.program, array)), element))
        return found

    def are_same(self, source: At, left: Term, target: At, right: Term, relation: isl.Map) -> bool:
        """Whether two reads access the same element of one array wherever the relation holds."""
        one, two = source.statement.reads[left], target.statement.reads[right]
        if one.array != two.array:
            return False
        first, second = At(source.statement, left), At(target.statement, right)
        elements = relation.apply_domain(self._element(first)).apply_range(self._element(second))
        return elements.is_subset(isl.Map.identity(elements.get_space()))

    def _element(self, position: At) -> isl.Map:
        """The element that a read reads, by instance of its statement."""
        known = self._elements.get(position.key())
        if known is None:
            access = position.statement.reads[position.term]
            text = access_text(position.statement.tuple_text(), access, position.statement.domain_text())
            known = self._elements[position.key()] = self._space.map(f"{{ {text} }}")
        return known


def elements_within(space: Isl, program: Flattened, initial: Initial) -> isl.Set:
    """The elements of an array within its bounds.

    Only these need a proof: a read of any other is undefined, or its value is not used (`guarded`).
    """
    array = program.arrays[initial.array]
    names = [f"e{k}" for k in range(array.private + len(array.extents))]
    bounds = [f"0 <= {n} < {e}" for n, e in zip(names[array.private :], array.extents, strict=True)]
    # The extents of an allocation may depend on the iteration that it is made in.
    constraints = "1 = 1" if initial.undefined else " and ".join(bounds) or "1 = 1"
    text = f"{{ {initial.array}[{', '.join(names)}] : {constraints} }}"
    return space.set(text).intersect_params(space.known)


def within_arrays(
    space: Isl, flows: tuple[Dataflow, Dataflow], source: Position, target: Position, relation: isl.Map
) -> isl.Map:
    """A relation restricted to elements within their arrays' bounds, for sides that are initial values."""
    if isinstance(source, Initial):
        relation = relation.intersect_domain(elements_within(space, flows[0].program, source))
    if isinstance(target, Initial):
        relation = relation.intersect_range(elements_within(space, flows[1].program, target))
    return relation
