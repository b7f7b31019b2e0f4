"""What is left where two terms have different operators: scalar code over leaves that are equal.

Concrete values propose which leaves of the two terms are equal, or which leaf of one is a subterm of the other. Each
such equality that is used is an obligation of the induction: it is between parts of the two terms, and one of the two
is a smaller part, so that the induction stays well-founded. Leaves that are equal get one name, and whether the terms
are then equal is a question about scalar code, which is asked of a function that is passed in (the e-graph).

Where that does not do, a leaf that reads what one statement wrote is taken for the term that was written, with leaves
at an earlier instance. No statement stands twice on the way to a part, so that a recurrence is not unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import islpy as isl

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.base.value import Poison, Scalar
from hecv.dialects.licences import FloatMode
from hecv.poly.dataflow import Dataflow, Isl, access_text
from hecv.poly.positions import At, Initial, Position, Unsettled
from hecv.poly.proper import Proper
from hecv.poly.space import NotAffine
from hecv.poly.statements import Instances
from hecv.poly.values import Evaluate, Instance, Sample, Values, samples

MOST_TERMS: Final = 2_000
MOST_SAMPLES: Final = 3
MOST_ATTEMPTS: Final = 400
"""So many terms that differ are looked at in one proof."""
MOST_EXPANSIONS: Final = 6
"""So often leaves are taken for what was written, in one attempt."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """What is known of two scalar terms over the same leaves.

    `refines`: wherever the source is neither undefined nor poison, the target has the same value and is not poison.
    `defined`: the target is undefined only where the source is. `converse`: both hold with the sides exchanged.
    """

    refines: bool
    defined: bool
    converse: bool


@dataclass(frozen=True, slots=True)
class Scalars:
    """How scalar terms are compared and evaluated; the layers above hand it in.

    `compare` gets two terms over literals, arguments, extents and `leaf` terms, which may have any value and may be
    poison: a leaf of the target's is poison only where the same leaf of the source's is. `mode` is that of floats,
    and `loose` tells that floats that are nearly equal may be.
    """

    pool: TermPool
    compare: Callable[[Term, Term], Refinement]
    evaluate: Evaluate
    mode: FloatMode = "strict"
    loose: bool = False


Prove = Callable[[Position, Position, isl.Map], bool]
"""Proves that a part of the source is refined by a part of the target, at the instances that a relation relates."""

Vector = tuple[Scalar | None, ...]
Names = tuple[dict[int, Term], dict[int, Term]]
"""What stands for the leaves of the source and of the target, by the numbers of their parts."""


Path = tuple[int, ...]
"""The reads that lead from a term to what was written, to what was written where that reads, and so on."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An instance of a statement that a compared term depends on: that of the term itself, or of one that wrote what it
    reads. `way` leads from the instances of the compared term to these, None where they are the same; `instances` are
    those at the samples. `names` are the statements on the way."""

    statement: Instances
    way: isl.Map | None
    instances: tuple[Instance | None, ...]
    path: Path
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A leaf, a literal or an operator of one of the two terms, and its values at the samples.

    `frame` is None for an initial value. `args` are the parts that are its operands, or arguments of the function.
    `proper` tells that a leaf is known not to be poison, `partial` that an operator in it may be undefined. `also` are
    leaves that have their value from where it has it.
    """

    position: Position
    frame: Frame | None
    type: ScalarType
    values: Vector
    leaf: bool
    proper: bool
    partial: bool = False
    args: tuple[int | Term, ...] = ()
    also: list[tuple[Frame, Term]] = field(default_factory=list["tuple[Frame, Term]"])


@dataclass(frozen=True, slots=True)
class Named:
    """Two terms over names, how they compare, and what that rests on: `groups` are leaves of the source and of the
    target that have one name, by their numbers among the `parts`; `replaced` are a side, a leaf of it, and the operator
    of the other side that stands for it; `links` are the parts that were shown equal."""

    refinement: Refinement
    terms: tuple[Term, Term]
    parts: tuple[list[Part], list[Part]]
    groups: tuple[tuple[list[int], list[int]], ...]
    replaced: tuple[tuple[int, int, int], ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Origin:
    """The statement or array that a leaf has its value from, and the instance or element; of an index its type and its
    value."""

    name: str
    way: isl.Map

    def is_same(self, other: _Origin) -> bool:
        return self.name == other.name and bool(self.way.is_equal(other.way))


Expanded = dict[tuple[Path, int], tuple[Instances, isl.Map]]
"""The leaves of a side that are taken for what was written: the way to them and the term that reads, and by which
statement that was."""


class Residual:
    """Compares terms with different operators; one for a proof, so that values and answers are kept."""

    def __init__(
        self,
        space: Isl,
        flows: tuple[Dataflow, Dataflow],
        proper: tuple[Proper, Proper],
        partial: frozenset[str],
        scalars: Scalars,
    ) -> None:
        self._space = space
        self._flows = flows
        self._proper = proper
        self._partial = partial
        self._scalars = scalars
        self._values: dict[tuple[int, str], Values] = {}
        self._compared: dict[tuple[int, int], Refinement] = {}
        self.attempts = 0

    def attempt(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Refinement | None:
        """How the terms compare once equal leaves have one name, None where they were not shown equal."""
        if self.attempts >= MOST_ATTEMPTS:
            return None
        self.attempts += 1
        found = self.find(source, target, relation, prove)
        return None if found is None else found.refinement

    def find(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Named | None:
        """The names that show how the terms compare, None where there are none."""
        if isinstance(source, Initial) and isinstance(target, Initial):
            return None
        points = samples(self._space, relation, MOST_SAMPLES)
        expanded: tuple[Expanded, Expanded] = ({}, {})
        for _ in range(1 + MOST_EXPANSIONS):
            left = self._parts(0, source, relation.domain(), points, expanded[0])
            right = self._parts(1, target, relation.range(), points, expanded[1])
            if left is None or right is None or left[-1].type != right[-1].type:
                return None
            if not self._agree(left[-1].values, right[-1].values, left[-1].type):
                return None
            naming = _Naming(self._scalars.pool, left, right)
            found = self._attempt(naming, left, right, relation, prove)
            if found is not None:
                return naming.named(found)
            if not self._expand(naming, (left, right), relation, expanded):
                return None
        return None

    def _attempt(
        self, naming: _Naming, left: list[Part], right: list[Part], relation: isl.Map, prove: Prove
    ) -> Refinement | None:
        """How the terms compare over names for their leaves, as far as the equalities behind these are proved."""
        while True:
            refinement = self._compare(*naming.terms())
            if not refinement.refines:
                return None
            broken = [(s, t) for s, t in naming.links if not _prove_link(left[s], right[t], relation, prove)]
            if not broken:
                return refinement
            for link in broken:
                naming.drop(link)

    def _expand(
        self,
        naming: _Naming,
        parts: tuple[list[Part], list[Part]],
        relation: isl.Map,
        expanded: tuple[Expanded, Expanded],
    ) -> bool:
        """Takes more leaves for what was written: those that equal nothing of the other side or, where none of these
        can be, all. Whether there were any."""
        linked = [{link[side] for link in naming.links} for side in (0, 1)]
        domains = (relation.domain(), relation.range())
        found = [(side, k, w) for side in (0, 1) for k, w in self._writers(side, parts[side], domains[side])]
        unequal = [(side, k, w) for side, k, w in found if k not in linked[side]]
        for side, k, written in unequal or found:
            part = parts[side][k]
            assert part.frame is not None and isinstance(part.position, At)
            expanded[side][part.frame.path, part.position.term.id] = written
        return bool(found)

    def _writers(
        self, side: int, parts: list[Part], instances: isl.Set
    ) -> Iterator[tuple[int, tuple[Instances, isl.Map]]]:
        """The leaves that read what one statement wrote wherever the terms are compared, and that statement."""
        for k, part in enumerate(parts):
            if not part.leaf or part.frame is None or not isinstance(part.position, At):
                continue
            frame, load = part.frame, part.position.term
            if load.op != "load":
                continue
            own = instances if frame.way is None else instances.apply(frame.way)
            producers = self._flows[side].producers[frame.statement.name, load]
            without = producers.without_write()
            if without is not None and not own.is_disjoint(without):
                continue
            found = [(writer, step) for writer, step in producers.writes if not step.domain().is_disjoint(own)]
            if len(found) == 1 and found[0][0].name not in frame.names:
                yield k, found[0]

    def differ(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Whether concrete values show that the two are not equal at all instances of the relation."""
        points = samples(self._space, relation, MOST_SAMPLES)
        return not _compatible(self._at_samples(0, source, points), self._at_samples(1, target, points))

    def _compare(self, source: Term, target: Term) -> Refinement:
        key = (source.id, target.id)
        if key not in self._compared:
            self._compared[key] = self._scalars.compare(source, target)
        return self._compared[key]

    # Parts and their values

    def _parts(
        self, side: int, position: Position, domain: isl.Set, points: list[Sample], expanded: Expanded
    ) -> list[Part] | None:
        """The leaves, literals and operators of a term, operands before users, the root last; None where too many.

        `domain` are the instances at which the term is compared.
        """
        instances = tuple(s.source if side == 0 else s.target for s in points)
        assert not isinstance(position, Unsettled)
        if isinstance(position, Initial):
            kind = self._flows[side].program.arrays[position.array].memory.element
            values = self._at_samples(side, position, points)
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
        """Where the value of a leaf comes from, None where that is not one statement or the contents at first."""
        statement = frame.statement
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
        return [] if is_leaf(At(frame.statement, term)) else [(frame, a) for a in term.args]

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
        leaf = is_leaf(at)
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

    def _at_samples(self, side: int, position: Position, points: list[Sample]) -> Vector:
        """The values of the root of a term."""
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
        return _nearly(value) if self._scalars.loose else value

    def _agree(self, source: Vector, target: Vector, kind: ScalarType) -> bool:
        """Whether nothing shows that two whole terms differ, by more than what rounding may do."""
        if self._scalars.loose and isinstance(kind, FloatType):
            digits = ROUGH.get(kind.name, 2)
            source, target = (tuple(_nearly(v, digits) for v in values) for values in (source, target))
        return _compatible(source, target)


def _nearly(value: Scalar | None, digits: int = 9) -> Scalar | None:
    """A float without the digits that rounding may change."""
    return float(f"{value:.{digits}g}") + 0.0 if isinstance(value, float) else value


ROUGH: Final = {"f64": 9, "f32": 5}
"""Digits of a float that a rounded literal leaves alone, 2 for formats with less."""


def is_leaf(at: At) -> bool:
    """Whether a term is taken as a whole: it reads memory, or isl knows what it is."""
    term = at.term
    if term.op in ("load", "iv"):
        return True
    if not isinstance(term.type, IndexType) or not term.args:
        return False
    try:
        at.statement.translator.index(term)
    except NotAffine:
        return False
    return True


def _compatible(source: Vector, target: Vector) -> bool:
    """Whether nothing shows that the target's values do not refine the source's."""
    pairs = zip(source, target, strict=True)
    return all(a is None or b is None or isinstance(a, Poison) or repr(a) == repr(b) for a, b in pairs)


def _prove_link(source: Part, target: Part, relation: isl.Map, prove: Prove) -> bool:
    """Whether a part of the source is refined by a part of the target, each at its own instances."""
    return prove(*linked(source, target, relation))


def linked(source: Part, target: Part, relation: isl.Map) -> tuple[Position, Position, isl.Map]:
    """That a part of the source is refined by a part of the target, each at its own instances."""
    if source.frame is not None and source.frame.way is not None:
        relation = relation.apply_domain(source.frame.way)
    if target.frame is not None and target.frame.way is not None:
        relation = relation.apply_range(target.frame.way)
    return source.position, target.position, relation


class _Naming:
    """Names for the leaves of two terms: equal leaves get one name, a leaf that equals an operator of the other term
    is replaced by it.

    A name stands for leaves of the source and leaves of the target of which each of the former is refined by each of
    the latter. So it has a value that refines those source leaves and that those target leaves refine: poison where all
    the source leaves are, else their one value. What stands for a leaf has to be such a value; operators are monotone,
    so the source is then refined by the named source, the named target by the target, and what holds of the named
    terms holds of the terms. Two things need more than that, to know on which leaf the value lies:

    - A name is `proper` where it has the value of a leaf that is.
    - An operator of the source is refined by the target leaf that it replaces. The named operator is too only if its
      names have the values of the *source's* leaves, no less poison. An operator of the target refines the source leaf
      that it replaces; the named one does only if its names have the values of the *target's* leaves, no more poison.

    Smallest failing case of both: one source leaf that is poison and unused, for which any two target leaves will do.
    """

    def __init__(self, pool: TermPool, source: list[Part], target: list[Part]) -> None:
        self._pool = pool
        self._source = source
        self._target = target
        self._dropped: set[tuple[int, int]] = set()
        self._fresh = 0
        self._exact: tuple[set[int], set[int]] = set(), set()
        self.groups: list[tuple[list[int], list[int]]] = []
        self.replaced: list[tuple[int, int, int]] = []
        """A side, a leaf of it, and the operator of the other side that stands for it."""
        self.links: list[tuple[int, int]] = []
        """The parts of the source and of the target whose equality the last terms rest on."""

    def named(self, refinement: Refinement) -> Named:
        """Everything that shows how the terms compare."""
        terms, parts = self.terms(), (self._source, self._target)
        return Named(refinement, terms, parts, tuple(self.groups), tuple(self.replaced), tuple(self.links))

    def drop(self, link: tuple[int, int]) -> None:
        """Forgets an equality that was not proved."""
        self._dropped.add(link)

    def terms(self) -> tuple[Term, Term]:
        """Both terms over names, as the equalities that were not dropped suggest."""
        self._fresh, self._exact, self.links, self.replaced = 0, (set(), set()), [], []
        names: Names = ({}, {})
        self.groups = self._groups()
        for group in self.groups:
            self._name_group(*group, names)
        for t in self._unnamed(1, names[1]):
            s = next((k for k in self._operators(0) if self._fits(k, t) and self._is_exact(0, k, names[0])), None)
            if s is not None:
                names[1][t] = self._rebuilt(0, s, names[0])
                self.replaced.append((1, t, s))
                self.links.append((s, t))
        for s in self._unnamed(0, names[0]):
            t = next((k for k in self._operators(1) if self._fits(s, k) and self._is_exact(1, k, names[1])), None)
            if t is not None:
                names[0][s] = self._rebuilt(1, t, names[1])
                self.replaced.append((0, s, t))
                self.links.append((s, t))
        return (
            self._rebuilt(0, len(self._source) - 1, names[0]),
            self._rebuilt(1, len(self._target) - 1, names[1]),
        )

    def _groups(self) -> list[tuple[list[int], list[int]]]:
        """Leaves of the source and of the target that may be equal, each of the former to each of the latter."""
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for t in self._unnamed(1, {}):
            s = next((k for k in self._unnamed(0, {}) if self._fits(k, t)), None)
            if s is not None:
                groups.setdefault(s, ([s], []))[1].append(t)
        for s in self._unnamed(0, {}):
            home = next((g for g in groups.values() if all(self._fits(s, t) for t in g[1])), None)
            if home is not None and s not in groups:
                home[0].append(s)
        return list(groups.values())

    def _name_group(self, sources: list[int], targets: list[int], names: Names) -> None:
        """Names leaves that are equal, and notes which of them have the value of the name.

        A source leaf that is proper gives its value to all; else a target leaf that is the only one does, else a source
        leaf that is the only one.
        """
        proper = {s for s in sources if self._source[s].proper}
        alone = len(targets) == 1
        if proper or alone:
            self._exact[0].update(proper)
            self._exact[1].update(targets)
        elif len(sources) == 1:
            self._exact[0].update(sources)
        kind = self._source[sources[0]].type
        name = self._name(kind, bool(proper) or (alone and self._target[targets[0]].proper))
        names[0].update(dict.fromkeys(sources, name))
        names[1].update(dict.fromkeys(targets, name))
        self.links += [(s, t) for s in sources for t in targets]

    def _unnamed(self, side: int, names: dict[int, Term]) -> list[int]:
        return [k for k, p in enumerate((self._source, self._target)[side]) if p.leaf and k not in names]

    def _operators(self, side: int) -> list[int]:
        return [k for k, p in enumerate((self._source, self._target)[side]) if not p.leaf]

    def _is_exact(self, side: int, root: int, names: dict[int, Term]) -> bool:
        """Whether the names of an operator's leaves have the values of these; a leaf without a name will get one."""
        parts = (self._source, self._target)[side]
        seen, stack = {root}, [root]
        while stack:
            k = stack.pop()
            if parts[k].leaf and k not in self._exact[side] and k in names:
                return False
            stack += [a for a in parts[k].args if isinstance(a, int) and a not in seen]
            seen.update(stack)
        return True

    def _name(self, kind: ScalarType, proper: bool) -> Term:
        self._fresh += 1
        attributes = (("number", self._fresh), ("proper", True)) if proper else (("number", self._fresh),)
        return self._pool.make("leaf", (), kind, attributes)

    def _fits(self, s: int, t: int) -> bool:
        """Whether the target's part may refine the source's, and one of them is smaller than the root."""
        first, second = self._source[s], self._target[t]
        if (s, t) in self._dropped or first.type != second.type or not _compatible(first.values, second.values):
            return False
        if s == len(self._source) - 1 and t == len(self._target) - 1:
            return False
        return not any(p.partial for p in (first, second) if not p.leaf)

    def _rebuilt(self, side: int, root: int, names: dict[int, Term]) -> Term:
        """The term of a part with its leaves replaced; leaves that have no name yet get one."""
        parts = (self._source, self._target)[side]
        made: dict[int, Term] = {}
        stack = [root]
        while stack:
            k = stack[-1]
            part = parts[k]
            missing = [a for a in part.args if isinstance(a, int) and a not in made]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            made[k] = self._named(side, k, names) if part.leaf else self._remade(part, made)
        return made[root]

    def _remade(self, part: Part, made: dict[int, Term]) -> Term:
        assert isinstance(part.position, At)
        term = part.position.term
        args = tuple(made[a] if isinstance(a, int) else a for a in part.args)
        return self._pool.make(term.op, args, term.type, term.attrs) if args else term

    def _named(self, side: int, k: int, names: dict[int, Term]) -> Term:
        if k not in names:
            part = (self._source, self._target)[side][k]
            names[k] = self._name(part.type, part.proper)
            self._exact[side].add(k)
        return names[k]
