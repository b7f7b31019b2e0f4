"""The schedule and access relations of a program's instances: when they run, and what they read and write."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from hecv.dataflow.model.scop import Access, Flattened, Instances
from hecv.dataflow.model.value_dataflow import Isl, Writer, access_text


class Times:
    """The schedule of a program, in which all instances have different times, and what the instances in `writing`
    write."""

    def __init__(
        self, space: Isl, program: Flattened, domains: Mapping[str, isl.Set], writing: Mapping[str, isl.Set]
    ) -> None:
        self._space = space
        self._domains = domains
        self._length = max((len(s.schedule) for s in program.statements), default=0)
        order = isl.Space.set_alloc(space.context, 0, self._length)
        self._earlier = isl.Map.lex_gt(order)
        self.later = isl.Map.lex_lt(order)
        """From a time to those after it."""
        self.writing = writing
        """The instances that write, of each statement that does."""
        self.writers: dict[str, list[Instances]] = {}
        """The statements that write each array."""
        for statement in program.statements:
            if statement.write is not None and not writing[statement.name].is_empty():
                self.writers.setdefault(statement.write.array, []).append(statement)
        self._known: dict[str, isl.Map] = {}
        self._past: dict[str, isl.Map] = {}
        self._elements: dict[tuple[str, Access], isl.Map] = {}

    def past(self, statement: Instances) -> isl.Map:
        """All times before each instance."""
        if statement.name not in self._past:
            self._past[statement.name] = self.of(statement).apply_range(self._earlier)
        return self._past[statement.name]

    def of(self, statement: Instances) -> isl.Map:
        """The time of each instance."""
        if statement.name not in self._known:
            padding = ["0"] * (self._length - len(statement.schedule))
            text = f"{{ {statement.tuple_text()} -> [{', '.join([*statement.schedule, *padding])}] }}"
            self._known[statement.name] = self._space.map(text).intersect_domain(self._domains[statement.name])
        return self._known[statement.name]

    def all_writers(self) -> Mapping[str, tuple[Writer, ...]]:
        """The writers of each array."""
        return {name: tuple(map(self._writer, found)) for name, found in self.writers.items()}

    def _writer(self, statement: Instances) -> Writer:
        time = self.of(statement).intersect_domain(self.writing[statement.name])
        return Writer(statement, self.writes(statement).reverse(), time)

    def writes(self, statement: Instances) -> isl.Map:
        """The element that each writing instance writes."""
        assert statement.write is not None
        return self.elements(statement, statement.write).intersect_domain(self.writing[statement.name])

    def elements(self, statement: Instances, access: Access) -> isl.Map:
        """The element that each instance accesses."""
        key = statement.name, access
        if key not in self._elements:
            text = access_text(statement.tuple_text(), access, statement.domain_text())
            self._elements[key] = self._space.map(f"{{ {text} }}").intersect_params(self._space.known)
        return self._elements[key]

    def written(self, statement: Instances, elements: isl.Map) -> isl.Map:
        """For each instance, the earlier times at which one of its related `elements` of an array is written."""
        past = self.past(statement)
        found = past.subtract(past)
        for writer in self.writers.get(elements.get_tuple_name(isl.dim_type.out), ()):
            same = elements.apply_range(self.writes(writer).reverse())
            found = found.union(same.apply_range(self.of(writer)).intersect(past))
        return found
