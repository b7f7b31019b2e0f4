"""What is left where two terms have different operators: scalar code over leaves that are equal.

Concrete values propose which leaves of the two terms are equal, or which leaf of one is a subterm of the other. Each
such equality that is used is an obligation of the induction: it is between parts of the two terms, and one of the two
is a smaller part, so that the induction stays well-founded. Leaves that are equal get one name, and whether the terms
are then equal is a question about scalar code, which is asked of a function that is passed in (the e-graph).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import islpy as isl

from hecv.base.term import Term, TermPool, postorder, rebuild
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.base.value import Poison, Scalar
from hecv.dialects.licences import FloatMode
from hecv.poly.dataflow import Dataflow, Isl
from hecv.poly.positions import At, Initial, Position
from hecv.poly.proper import Proper
from hecv.poly.space import NotAffine
from hecv.poly.values import Evaluate, Sample, Values, samples

MOST_TERMS: Final = 2_000
MOST_SAMPLES: Final = 3
MOST_ATTEMPTS: Final = 400
"""So many terms that differ are looked at in one proof."""


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


Prove = Callable[[Position, Position], bool]
"""Proves, at the instances in question, that a part of the source is refined by a part of the target."""

Vector = tuple[Scalar | None, ...]
Names = tuple[dict[int, Term], dict[int, Term]]
"""What stands for the leaves of the source and of the target, by the numbers of their parts."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A leaf, a literal or an operator of one of the two terms, and its values at the samples. `proper` tells that it
    is known not to be poison."""

    position: Position
    type: ScalarType
    values: Vector
    leaf: bool
    proper: bool


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
        if self.attempts >= MOST_ATTEMPTS or (isinstance(source, Initial) and isinstance(target, Initial)):
            return None
        self.attempts += 1
        points = samples(self._space, relation, MOST_SAMPLES)
        left, right = self._parts(0, source, points), self._parts(1, target, points)
        if left is None or right is None or left[-1].type != right[-1].type:
            return None
        if not self._agree(left[-1].values, right[-1].values, left[-1].type):
            return None
        naming = _Naming(self._scalars.pool, left, right, self._partial)
        while True:
            refinement = self._compare(*naming.terms())
            if not refinement.refines:
                return None
            broken = [(s, t) for s, t in naming.links if not prove(left[s].position, right[t].position)]
            if not broken:
                return refinement
            for link in broken:
                naming.drop(link)

    def differ(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Whether concrete values show that the two are not equal at all instances of the relation."""
        points = samples(self._space, relation, MOST_SAMPLES)
        left = [self._value(0, source, s) for s in points]
        right = [self._value(1, target, s) for s in points]
        return not _compatible(tuple(left), tuple(right))

    def _compare(self, source: Term, target: Term) -> Refinement:
        key = (source.id, target.id)
        if key not in self._compared:
            self._compared[key] = self._scalars.compare(source, target)
        return self._compared[key]

    # Parts and their values

    def _parts(self, side: int, position: Position, points: list[Sample]) -> list[_Part] | None:
        """The leaves, literals and operators of a term, operands before users, the root last; None where too many."""
        if isinstance(position, Initial):
            return [self._part(side, position, points, True)]
        found: list[_Part] = []
        seen: set[int] = set()
        stack: list[tuple[Term, bool]] = [(position.term, False)]
        while stack:
            term, ready = stack.pop()
            at = At(position.statement, term)
            if ready:
                found.append(self._part(side, at, points, False))
                continue
            if term.id in seen or (term.op in ("arg", "dim") and term is not position.term):
                continue
            seen.add(term.id)
            if len(seen) > MOST_TERMS:
                return None
            if is_leaf(at):
                found.append(self._part(side, at, points, True))
            else:
                stack.append((term, True))
                stack.extend((a, False) for a in reversed(term.args))
        return found or None

    def _part(self, side: int, position: Position, points: list[Sample], leaf: bool) -> _Part:
        flow = self._flows[side]
        values = self._vector(side, position, points)
        if isinstance(position, Initial):
            kind = flow.program.arrays[position.array].memory.element
            return _Part(position, kind, values, leaf, not position.undefined)
        return _Part(
            position,
            position.term.type,
            values,
            leaf,
            leaf and self._proper[side].term(position.statement, position.term),
        )

    def _vector(self, side: int, position: Position, points: list[Sample]) -> Vector:
        return tuple(self._value(side, position, s) for s in points)

    def _value(self, side: int, position: Position, sample: Sample) -> Scalar | None:
        key = (side, sample.key())
        values = self._values.get(key)
        if values is None:
            made = Values(self._space, self._flows[side], sample.parameters, self._scalars.evaluate)
            values = self._values[key] = made
        instance = sample.source if side == 0 else sample.target
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

    def __init__(self, pool: TermPool, source: list[_Part], target: list[_Part], partial: frozenset[str]) -> None:
        self._pool = pool
        self._source = source
        self._target = target
        self._partial = partial
        self._dropped: set[tuple[int, int]] = set()
        self._fresh = 0
        self._exact: tuple[set[int], set[int]] = set(), set()
        self.links: list[tuple[int, int]] = []
        """The parts of the source and of the target whose equality the last terms rest on."""

    def drop(self, link: tuple[int, int]) -> None:
        """Forgets an equality that was not proved."""
        self._dropped.add(link)

    def terms(self) -> tuple[Term, Term]:
        """Both terms over names, as the equalities that were not dropped suggest."""
        self._fresh, self._exact, self.links = 0, (set(), set()), []
        names: Names = ({}, {})
        for group in self._groups():
            self._name_group(*group, names)
        for t in self._unnamed(1, names[1]):
            s = next((k for k in self._operators(0) if self._fits(k, t) and self._is_exact(0, k, names[0])), None)
            if s is not None:
                names[1][t] = self._rebuilt(0, s, names[0])
                self.links.append((s, t))
        for s in self._unnamed(0, names[0]):
            t = next((k for k in self._operators(1) if self._fits(s, k) and self._is_exact(1, k, names[1])), None)
            if t is not None:
                names[0][s] = self._rebuilt(1, t, names[1])
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
        position = (self._source, self._target)[side][root].position
        assert isinstance(position, At)
        own = self._own(side)
        leaves = (own[t.id] for t in postorder((position.term,)) if t.id in own)
        return all(k in self._exact[side] or k not in names for k in leaves)

    def _own(self, side: int) -> dict[int, int]:
        """The leaves of a side by their terms."""
        parts = enumerate((self._source, self._target)[side])
        return {p.position.term.id: k for k, p in parts if p.leaf and isinstance(p.position, At)}

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
        operators = [p.position.term for p in (first, second) if not p.leaf and isinstance(p.position, At)]
        return not any(t.op in self._partial for t in postorder(tuple(operators)))

    def _rebuilt(self, side: int, root: int, names: dict[int, Term]) -> Term:
        """The term of a part with its leaves replaced; leaves that have no name yet get one."""
        parts = (self._source, self._target)[side]
        position = parts[root].position
        own = self._own(side)

        def leaf(term: Term) -> Term | None:
            k = own.get(term.id)
            return None if k is None else named(k)

        def named(k: int) -> Term:
            if k not in names:
                names[k] = self._name(parts[k].type, parts[k].proper)
                self._exact[side].add(k)
            return names[k]

        if isinstance(position, Initial):
            return named(root)
        return rebuild(self._pool, position.term, leaf, {})
