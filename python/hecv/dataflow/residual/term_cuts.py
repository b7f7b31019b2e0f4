"""Cuts of terms into parts, each with its values at a few sample instances."""

from __future__ import annotations

from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.base.types import IndexType
from hecv.base.value import Scalar
from hecv.dataflow.model.instance_values import Instance, Sample, Values
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Initial, Position, Unsettled
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text
from hecv.dataflow.residual.scalar_refinement import Scalars
from hecv.dataflow.residual.term_leaves import Frame, Part, Path, Vector, is_leaf

MOST_TERMS: Final = 2_000

Expanded = dict[tuple[Path, int], tuple[Instances, isl.Map]]
"""The leaves of a side that are replaced by what was written: the path to them and the reading term, with the statement
that wrote."""


class _Origin(Struct, frozen=True):
    """The origin of a leaf's value: a statement or array, and the instance or element; for an index, its type and
    value."""

    name: str
    way: isl.Map

    def is_same(self, other: _Origin) -> bool:
        return self.name == other.name and bool(self.way.is_equal(other.way))


class Cuts:
    """Cuts the terms of two programs into parts; one object a proof, so that values are cached."""

    def __init__(
        self,
        space: Isl,
        flows: tuple[Dataflow, Dataflow],
        proper: tuple[Proper, Proper],
        partial: frozenset[str],
        scalars: Scalars,
        to_the_bit: bool = False,
    ) -> None:
        self._to_the_bit = to_the_bit
        self._space = space
        self._flows = flows
        self._proper = proper
        self._partial = partial
        self._scalars = scalars
        self._values: dict[tuple[int, str], Values] = {}

    def parts(
        self, side: int, position: Position, domain: isl.Set, points: list[Sample], expanded: Expanded
    ) -> list[Part] | None:
        """The leaves, literals and operators of a term, operands before users, the root last; None if there are too
        many.

        `domain` are the instances at which the term is compared.
        """
        instances = tuple(s.source if side == 0 else s.target for s in points)
        assert not isinstance(position, Unsettled)
        if isinstance(position, Initial):
            kind = self._flows[side].program.arrays[position.array].memory.element
            values = self.at_samples(side, position, points)
            return [Part(position, None, kind, values, True, not position.undefined)]
        root = Frame(position.statement, None, instances, (), (position.statement.name,))
        found: list[Part] = []
        origins: dict[tuple[str, str], list[tuple[int, _Origin]]] = {}
        numbers: dict[tuple[Path, int], int | Term] = {}
        behind: dict[tuple[Path, int], tuple[Frame, Term]] = {}
        stack: list[tuple[Frame, Term]] = [(root, position.term)]
        while stack:
            frame, term = stack[-1]
            key = (frame.path, term.id)
            if key in numbers:
                stack.pop()
                continue
            if key in expanded and key not in behind:
                behind[key] = self._behind(side, frame, term, expanded[key], points)
            operands = self._operands(frame, term) if key not in behind else [behind[key]]
            missing = [(f, t) for f, t in operands if (f.path, t.id) not in numbers]
            if missing:
                stack.extend(reversed(missing))
                continue
            args = tuple(numbers[f.path, t.id] for f, t in operands)
            if key in behind:
                numbers[key] = args[0]
            elif term.op in ("arg", "dim") and not (frame is root and term is position.term):
                numbers[key] = term
            else:
                part = self._part(side, frame, term, args, points, found)
                origin = self._origin(side, frame, term, domain) if expanded and part.leaf else None
                # One origin, one value: few leaves have to be compared by their maps.
                alike = [] if origin is None else origins.setdefault((origin.name, repr(part.values)), [])
                same = (k for k, other in alike if origin is not None and origin.is_same(other))
                numbers[key] = number = next(same, len(found))
                if number < len(found):
                    found[number].also.append((frame, term))
                    continue
                found.append(part)
                if origin is not None:
                    alike.append((number, origin))
                if len(found) > MOST_TERMS:
                    return None
        return found

    def _origin(self, side: int, frame: Frame, leaf: Term, domain: isl.Set) -> _Origin | None:
        """The origin of a leaf's value; None if it is not a single statement or the initial contents."""
        statement = frame.statement
        if leaf.op not in ("load", "iv") and not isinstance(leaf.type, IndexType):
            return None  # the bits of a float
        if leaf.op != "load":
            text = statement.translator.index(leaf).text
            way = self._space.map(f"{{ {statement.tuple_text()} -> [{text}] }}")
            return _Origin(str(leaf.type), self._from(frame, way, domain))
        producers = self._flows[side].producers[statement.name, leaf]
        own = domain if frame.way is None else domain.apply(frame.way)
        if producers.unsettled is not None and not producers.unsettled.is_disjoint(own):
            return None
        ways = [(writer.name, step) for writer, step in producers.writes if not step.domain().is_disjoint(own)]
        if producers.initial is not None and not producers.initial.is_disjoint(own):
            access = statement.reads[leaf]
            text = access_text(statement.tuple_text(), access, statement.domain_text())
            ways.append((access.array, self._space.map(f"{{ {text} }}")))
        return _Origin(ways[0][0], self._from(frame, ways[0][1], domain)) if len(ways) == 1 else None

    def _from(self, frame: Frame, step: isl.Map, domain: isl.Set) -> isl.Map:
        """A map from a statement's instances as one from those at which the terms are compared."""
        return (step if frame.way is None else frame.way.apply_range(step)).intersect_domain(domain)

    def _operands(self, frame: Frame, term: Term) -> list[tuple[Frame, Term]]:
        return [] if is_leaf(At(frame.statement, term), self._to_the_bit) else [(frame, a) for a in term.args]

    def _part(
        self,
        side: int,
        frame: Frame,
        term: Term,
        args: tuple[int | Term, ...],
        points: list[Sample],
        before: list[Part],
    ) -> Part:
        at = At(frame.statement, term)
        leaf = is_leaf(at, self._to_the_bit)
        pairs = zip(points, frame.instances, strict=True)
        values = tuple(self._value(side, at, sample, instance) for sample, instance in pairs)
        proper = leaf and self._proper[side].term(frame.statement, term)
        partial = any(t.op in self._partial for t in (postorder((term,)) if leaf else (term,)))
        partial = partial or any(before[k].partial for k in args if isinstance(k, int))
        return Part(at, frame, term.type, values, leaf, proper, partial, args)

    def _behind(
        self, side: int, frame: Frame, load: Term, written: tuple[Instances, isl.Map], points: list[Sample]
    ) -> tuple[Frame, Term]:
        """What one statement wrote, in place of the read of it."""
        writer, step = written
        assert writer.value is not None
        way = step if frame.way is None else frame.way.apply_range(step)
        instances: list[Instance | None] = []
        for sample, at in zip(points, frame.instances, strict=True):
            found = None if at is None else self._values_at(side, sample).producer(frame.statement, load, at)
            instances.append(None if found is None or found[0] is not writer else found[1])
        path, names = (*frame.path, load.id), (*frame.names, writer.name)
        return Frame(writer, way, tuple(instances), path, names), writer.value

    def at_samples(self, side: int, position: Position, points: list[Sample]) -> Vector:
        """The values of a term at the samples."""
        return tuple(self._value(side, position, s, s.source if side == 0 else s.target) for s in points)

    def _values_at(self, side: int, sample: Sample) -> Values:
        key = (side, sample.key)
        values = self._values.get(key)
        if values is None:
            made = Values(self._space, self._flows[side], sample.parameters, self._scalars.evaluate)
            values = self._values[key] = made
        return values

    def _value(self, side: int, position: Position, sample: Sample, instance: Instance | None) -> Scalar | None:
        if instance is None:
            return None
        position = position.at if isinstance(position, Unsettled) else position
        values = self._values_at(side, sample)
        if isinstance(position, Initial):
            value = values.first(position.array, instance)
        else:
            value = values.of(position.statement, position.term, instance)
        return nearly(value) if self._scalars.loose else value


def nearly(value: Scalar | None, digits: int = 9) -> Scalar | None:
    """A float rounded to the digits that reordering keeps."""
    return float(f"{value:.{digits}g}") + 0.0 if isinstance(value, float) else value
