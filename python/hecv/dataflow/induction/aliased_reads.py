"""Reads under may-alias: two reads that are equal for every overlap of the arrays.

Model: the arrays lie anywhere in one memory; elements of one array never overlap. Between the last write to the element
that a read names and the read itself, elements of other arrays may be written. If some of them lie in the place that is
read, the last write counts. Each such element has its own last write in that interval.

Theorem: two reads of the same element are equal for every overlap if

- the same elements of other arrays are written in the interval on both sides;
- the last value written to each of them is equal, and so is the value that the read finds if nothing overlaps;
- any two of these last writes whose elements may overlap each other are in the same order on both sides.

Proof: for any overlap, the last write to the place that is read is then to the same element on both sides. If elements
have several bytes and overlap only in some, this holds for each byte.

Exception: writes of literals whose bytes are all equal (0, -1) may come in any order. If only one side writes an
element in the interval, pretend that the other writes it too, before the write that the read finds without overlap;
that write covers it. Then both sides write the same elements, and if their last writes differ, two writes are
exchanged. The exchange is harmless if both wrote the same repeated byte. It is not harmless for other equal values:
partly overlapping elements leave a different mixture of bytes in a different order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import copysign
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IndexType, IntType
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, Writer, last_of

Visit = Callable[[At, At, isl.Map], bool]

WIDTHS: Final = (8, 16, 32, 64, 128)
"""Widths in bits of the integers that memory stores without padding."""


class _Side(Struct, frozen=True):
    """A read of one program: `way` leads to it from a pair of reads, `between` has the writes that may overlap it,
    between its producer and itself (`Overlaps._between`)."""

    number: int
    at: At
    way: isl.Map
    between: dict[str, isl.Map]


class Overlaps:
    """Compares reads of two programs under every overlap of the arrays."""

    def __init__(self, space: Isl, source: Dataflow, target: Dataflow) -> None:
        self._space = space
        self._flows = source, target
        self._writes: dict[tuple[int, str], isl.Map] = {}
        self._last: dict[tuple[int, str, int, str], isl.Map | None] = {}

    def compare(self, source: At, target: At, relation: isl.Map, visit: Visit) -> str | None:
        """Why two reads of the same element may find different values of other arrays, at instances related by
        `relation`; None if they cannot.

        Requires: `visit` proves that two values are equal.
        Raises: Unverified, islpy.Error.
        """
        both = self._side(0, source, relation.domain_map()), self._side(1, target, relation.range_map())
        common, others = _divided(both)
        for side, only in zip(both, others, strict=True):
            for name, elements in only.items():
                if not self._is_like_nominal(both[0], side, name, elements):
                    return "memory that may overlap is written before one of two reads, and not before the other"
        for first, second in combinations(common, 2):
            if second in self._flows[0].program.overlapping(first):
                among = common[first].range_product(common[second])
                one, other = (self._order(side, first, second).intersect(among) for side in both)
                apart = one.subtract(other).union(other.subtract(one))
                if not self._are_alike(both[0], first, second, apart):
                    return "memories that may overlap are written in another order"
        for side, only in zip(both, others, strict=True):
            for first, second in product(common, only):
                if second in self._flows[0].program.overlapping(first):
                    among = common[first].range_product(only[second])
                    if not self._are_alike(side, first, second, self._order(side, first, second).intersect(among)):
                        return "memories that may overlap are written in another order"
        for name in common:
            if not all(visit(*pair) for pair in self._pairs(name, both)):
                return "what may be read through another memory differs"
        return None

    def filled(self, side: int, at: At, instances: isl.Set) -> int | None:
        """The repeated byte that everything consists of which a read may find at the instances, for any overlap; None
        if there is no such byte.

        Raises: Unverified, islpy.Error.
        """
        flow = self._flows[side]
        nominal = flow.producers[at.statement.name, at.term]
        if nominal.initial is not None and not nominal.initial.is_disjoint(instances):
            return None
        values = [w.value for w, step in nominal.writes if not step.domain().is_disjoint(instances)]
        for name, last in self._between(side, at).items():
            times = last.curry().intersect_domain(instances).range().unwrap().range()
            values += [w.statement.value for w in flow.writers[name] if not w.time.range().is_disjoint(times)]
        found = {None if value is None else byte_of(value) for value in values}
        return found.pop() if len(found) == 1 else None

    def _side(self, number: int, at: At, way: isl.Map) -> _Side:
        return _Side(number, at, way, self._between(number, at))

    def _is_like_nominal(self, source: _Side, side: _Side, name: str, elements: isl.Map) -> bool:
        """Whether elements that only one side writes in the interval are written with the repeated byte that the read
        finds without overlap, which is the same on both sides."""
        producers = self._flows[0].producers[source.at.statement.name, source.at.term]
        for byte in self._bytes(side.number, name):
            filled = self._filled(side, name, byte)
            for writer, step in producers.writes:
                if writer.value is not None and byte_of(writer.value) == byte:
                    pairs = source.way.intersect_range(step.domain()).domain()
                    elements = elements.subtract(filled.intersect_domain(pairs))
        return bool(elements.is_empty())

    def _are_alike(self, side: _Side, first: str, second: str, pairs: isl.Map) -> bool:
        """Whether both elements of each pair were last written with the same repeated byte, on this side."""
        if pairs.is_empty():
            return True
        for byte in self._bytes(side.number, first) & self._bytes(side.number, second):
            filled = (self._filled(side, name, byte) for name in (first, second))
            pairs = pairs.subtract(next(filled).range_product(next(filled)))
        return bool(pairs.is_empty())

    def _bytes(self, side: int, array: str) -> set[int]:
        """The bytes of which all is made that some statement writes to an array."""
        values = (w.statement.value for w in self._flows[side].writers[array])
        return {byte for v in values if v is not None and (byte := byte_of(v)) is not None}

    def _filled(self, side: _Side, array: str, byte: int) -> isl.Map:
        """The elements whose last write was a literal of this repeated byte, by pair of reads."""
        last = side.between[array]
        found = last.subtract(last)
        for writer in self._flows[side.number].writers[array]:
            value = writer.statement.value
            if value is not None and byte_of(value) == byte:
                found = found.union(last.intersect_range(writer.time.range()))
        return side.way.apply_range(found.domain().unwrap())

    def _between(self, side: int, at: At) -> dict[str, isl.Map]:
        """For each array that may overlap the one that is read, the time of the last write to each of its elements
        between the producer and the read: `[read -> element] -> time`; arrays without such a write are left out."""
        array = at.statement.reads[at.term].array
        names = self._flows[side].program.overlapping(array)
        found = {name: self._last_between(side, at, name) for name in names}
        return {name: last for name, last in found.items() if last is not None}

    def _last_between(self, side: int, at: At, array: str) -> isl.Map | None:
        key = (side, at.statement.name, at.term.id, array)
        if key not in self._last:
            self._last[key] = self._found_between(side, at, array)
        return self._last[key]

    def _found_between(self, side: int, at: At, array: str) -> isl.Map | None:
        between = self._flows[side].producers[at.statement.name, at.term].between
        if between is None or not self._flows[side].writers.get(array):
            return None
        writes = between.domain_product(self._times(side, array))
        if writes.is_empty():
            return None
        times = isl.Space.set_alloc(self._space.context, 0, writes.dim(isl.dim_type.out))
        return last_of(self._space, writes, isl.Map.lex_lt(times))

    def _times(self, side: int, array: str) -> isl.Map:
        """When each element of an array is written."""
        key = (side, array)
        if key not in self._writes:
            steps = [w.instances.apply_range(w.time) for w in self._flows[side].writers[array]]
            found = steps[0]
            for step in steps[1:]:
                found = found.union(step)
            self._writes[key] = self._space.coalesced(found)
        return self._writes[key]

    def _order(self, side: _Side, first: str, second: str) -> isl.Map:
        """The pairs of elements of two arrays, the first written before the second, by pair of reads."""
        before = side.between[first].lex_lt_map(side.between[second]).zip()
        reads = side.between[first].domain().unwrap().domain().identity()
        order = reads.domain_map().reverse().apply_range(before.intersect_domain(reads.wrap()))
        return side.way.apply_range(order)

    def _pairs(self, name: str, both: tuple[_Side, _Side]) -> Iterator[tuple[At, At, isl.Map]]:
        """The last values written to the same element on both sides, at related instances."""
        sides = [
            [(w, _instances(side.between[name], w, side.way)) for w in self._flows[side.number].writers[name]]
            for side in both
        ]
        for writer, left in sides[0]:
            for other, right in sides[1]:
                relation = left.reverse().apply_range(right)
                if not relation.is_empty():
                    yield _written(writer), _written(other), self._space.coalesced(relation)


def _divided(both: tuple[_Side, _Side]) -> tuple[dict[str, isl.Map], tuple[dict[str, isl.Map], dict[str, isl.Map]]]:
    """The elements that both sides write in the interval, by array, and those that only one side writes; each by pair
    of reads."""
    common: dict[str, isl.Map] = {}
    only: tuple[dict[str, isl.Map], dict[str, isl.Map]] = {}, {}
    for name in dict.fromkeys((*both[0].between, *both[1].between)):
        parts = [s.way.apply_range(s.between[name].domain().unwrap()) if name in s.between else None for s in both]
        one, other = parts
        if one is not None and other is not None:
            common[name] = one.intersect(other)
            parts = [one.subtract(other), other.subtract(one)]
        for found, part in zip(only, parts, strict=True):
            if part is not None and not part.is_empty():
                found[name] = part
    return {name: part for name, part in common.items() if not part.is_empty()}, only


def byte_of(value: Term) -> int | None:
    """The byte `b` if a literal is stored as `b` repeated (0, -1); otherwise None."""
    known = literal(value)
    match value.type:
        case IntType(width) if isinstance(known, int) and width in WIDTHS:
            found = set((known % (1 << width)).to_bytes(width // 8, "little"))
            return found.pop() if len(found) == 1 else None
        case IndexType() if known in (0, -1):
            return known % 256
        case FloatType() if isinstance(known, float) and known == 0.0 and copysign(1.0, known) > 0.0:
            return 0
        case _:
            return None


def _written(writer: Writer) -> At:
    assert writer.statement.value is not None
    return At(writer.statement, writer.statement.value)


def _instances(last: isl.Map, writer: Writer, way: isl.Map) -> isl.Map:
    """The instances of a writer that were the last to write an element: `[pair of reads -> element] -> instance`."""
    own = last.domain().unwrap().range_map().apply_range(writer.instances)
    written = last.apply_range(writer.time.reverse()).intersect(own)
    return way.apply_range(written.curry()).uncurry()
