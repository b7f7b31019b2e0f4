"""Reads whose producer depends on which memories overlap: equal on both sides for every overlap whatever.

Let arrays lie anywhere in one memory, each element of one array in a place of its own. Between the last write to the
very element that a read names and the read itself, elements of other arrays may have been written; of those that lie in
the place that is read, the last write counts. Each such element has a last write of its own in between. Two reads are
equal for every overlap where, of the same element,

- the same elements of other arrays are written in between;
- what was last written to each of them is equal, and so is what the read finds where nothing overlaps;
- any two of these that may overlap each other were last written in the same order.

For any overlap the last of the writes to the place that is read is then one to the same element on both sides. Where
elements have several bytes, and overlap in some, that holds for each byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import islpy as isl

from hecv.poly.dataflow import Dataflow, Isl, Writer, last_of
from hecv.poly.positions import At

Visit = Callable[[At, At, isl.Map], bool]


class Overlaps:
    """Compares reads of two programs under every overlap."""

    def __init__(self, space: Isl, source: Dataflow, target: Dataflow) -> None:
        self._space = space
        self._flows = source, target
        self._writes: dict[tuple[int, str], isl.Map] = {}
        self._last: dict[tuple[int, str, int, str], isl.Map | None] = {}

    def compare(self, source: At, target: At, relation: isl.Map, visit: Visit) -> str | None:
        """Why what other arrays hold of two reads of the same element may differ where `relation` relates their
        instances; None where it does not. `visit` proves that values are equal.

        Raises: Unverified, islpy.Error.
        """
        firsts, seconds = self._between(0, source), self._between(1, target)
        ways = relation.domain_map(), relation.range_map()
        for name in dict.fromkeys((*firsts, *seconds)):
            written = [_elements(found.get(name)) for found in (firsts, seconds)]
            if not _same(ways, *written):
                return "memory that may overlap is written before one of two reads, and not before the other"
        names = [name for name in firsts if name in seconds]
        for first, second in combinations(names, 2):
            if second not in self._flows[0].program.overlapping(first):
                continue
            orders = [self._order(found[first], found[second]) for found in (firsts, seconds)]
            if not _same(ways, *orders):
                return "memories that may overlap are written in another order"
        for name in names:
            if not all(visit(*pair) for pair in self._pairs(name, firsts[name], seconds[name], ways)):
                return "what may be read through another memory differs"
        return None

    def _between(self, side: int, at: At) -> dict[str, isl.Map]:
        """For each array that may overlap the one that is read, the time of the last write to each of its elements
        between the producer of a read and the read: `[read -> element] -> time`; those that have none left out."""
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

    def _order(self, first: isl.Map, second: isl.Map) -> isl.Map:
        """The pairs of elements of which that of the first array was written before that of the second, by read."""
        before = first.lex_lt_map(second).zip()
        reads = first.domain().unwrap().domain().identity()
        return reads.domain_map().reverse().apply_range(before.intersect_domain(reads.wrap()))

    def _pairs(
        self, name: str, first: isl.Map, second: isl.Map, ways: tuple[isl.Map, isl.Map]
    ) -> Iterator[tuple[At, At, isl.Map]]:
        """What was last written to the same element on both sides, at related instances."""
        sides = [
            [(w, _instances(last, w, way)) for w in self._flows[side].writers[name]]
            for side, (last, way) in enumerate(zip((first, second), ways, strict=True))
        ]
        for writer, left in sides[0]:
            for other, right in sides[1]:
                relation = left.reverse().apply_range(right)
                if not relation.is_empty():
                    yield _written(writer), _written(other), self._space.coalesced(relation)


def _written(writer: Writer) -> At:
    assert writer.statement.value is not None
    return At(writer.statement, writer.statement.value)


def _elements(last: isl.Map | None) -> isl.Map | None:
    """The elements that were written, by read."""
    return None if last is None else last.domain().unwrap()


def _same(ways: tuple[isl.Map, isl.Map], first: isl.Map | None, second: isl.Map | None) -> bool:
    """Whether two relations, from the reads of either side, relate the same to both of any two that are related."""
    left, right = (None if m is None else way.apply_range(m) for way, m in zip(ways, (first, second), strict=True))
    if left is None or right is None:
        return all(m is None or bool(m.is_empty()) for m in (left, right))
    return bool(left.is_equal(right))


def _instances(last: isl.Map, writer: Writer, way: isl.Map) -> isl.Map:
    """The instances of a writer that were the last to write an element: `[pair of reads -> element] -> instance`."""
    own = last.domain().unwrap().range_map().apply_range(writer.instances)
    written = last.apply_range(writer.time.reverse()).intersect(own)
    return way.apply_range(written.curry()).uncurry()
