"""The scalar residual of an obligation: two terms with different operators, compared as scalar code over equal leaves.

Concrete values propose which leaves of the two terms are equal, or which leaf of one equals a subterm of the other.
Each equality that is used becomes an obligation of the induction, between parts of the two terms of which one is
smaller, so the induction stays well-founded. Equal leaves get one name; whether the terms are then equal is a question
about scalar code, put to a function that is passed in (the e-graph).

If that fails, a leaf that reads what one statement wrote is replaced by the term that was written, with leaves at an
earlier instance. No statement occurs twice on the path to a part, so a recurrence is not unrolled.

Over the reals a leaf may be no number: `(x + y) - y` is not `x` if `y` reads a quotient by 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import islpy as isl
from msgspec.structs import replace

from hecv.base.term import Term
from hecv.base.types import FloatType, ScalarType
from hecv.dataflow.model.instance_values import Evaluate, Sample, samples
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.real_valued import Numbers
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Initial, Position
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.residual.leaf_naming import Doubts, Named, Naming
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from hecv.dataflow.residual.term_cuts import Cuts, Expanded, nearly
from hecv.dataflow.residual.term_leaves import Part, Prove, Vector, compatible, linked

MOST_SAMPLES: Final = 3
MOST_ATTEMPTS: Final = 400
"""The most pairs of differing terms compared in one proof."""
MOST_EXPANSIONS: Final = 6
"""The most times that leaves are replaced by what was written, in one attempt."""
ROUGH: Final = {"f64": 9, "f32": 5}
"""Digits of a float that rounding of literals keeps, 2 for smaller formats."""


class Residual:
    """Compares terms with different operators; one object a proof, so that values and answers are cached."""

    def __init__(
        self,
        space: Isl,
        flows: tuple[Dataflow, Dataflow],
        proper: tuple[Proper, Proper],
        partial: frozenset[str],
        scalars: Scalars,
        settles: bool = False,
        to_the_bit: bool = False,
    ) -> None:
        """`settles`: the source's ops that have a choice are one function (`hecv.dataflow.pair_model.source_chooses`).

        `to_the_bit`: only terms of integers are compared, with the bits of floats as leaves: laws of floats do not say
        which NaN.
        """
        self._settles = settles
        self._to_the_bit = to_the_bit
        self._space = space
        self._flows = flows
        self._scalars = scalars
        self._numbers = tuple(map(Numbers, flows)) if scalars.mode == "real" else ()
        self._cuts = Cuts(space, flows, proper, partial, scalars, to_the_bit)
        self._compared: dict[tuple[int, int], Refinement] = {}
        self._latest: tuple[isl.Map, list[Sample]] | None = None
        self.attempts = 0

    @property
    def evaluate(self) -> Evaluate:
        """Computes an operator on values."""
        return self._scalars.evaluate

    def attempt(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Refinement | None:
        """How the terms compare once equal leaves have one name; None if they were not proved equal."""
        if self.attempts >= MOST_ATTEMPTS:
            return None
        self.attempts += 1
        found = self.find(source, target, relation, prove)
        return None if found is None else found.refinement

    def find(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Named | None:
        """The names under which the terms compare, with the evidence; None if there are none."""
        if isinstance(source, Initial) and isinstance(target, Initial):
            return None
        points = self._points(relation)
        expanded: tuple[Expanded, Expanded] = ({}, {})
        for _ in range(1 + MOST_EXPANSIONS):
            left = self._cuts.parts(0, source, relation.domain(), points, expanded[0])
            right = self._cuts.parts(1, target, relation.range(), points, expanded[1])
            if left is None or right is None or left[-1].type != right[-1].type:
                return None
            if self._to_the_bit and any(map(_is_of_floats, (*left, *right))):
                return None
            if not self._agree(left[-1].values, right[-1].values, left[-1].type):
                return None
            naming = Naming(self._scalars.pool, left, right, self._settles, self._doubts(left, right))
            found = self._attempt(naming, left, right, relation, prove)
            if found is not None:
                return naming.named(found)
            if not self._expand(naming, (left, right), relation, expanded):
                return None
        return None

    def _attempt(
        self, naming: Naming, left: list[Part], right: list[Part], relation: isl.Map, prove: Prove
    ) -> Refinement | None:
        """How the terms compare over names for their leaves, after the equalities behind the names are proved."""
        while True:
            refinement = self._compare(*naming.terms())
            if not refinement.refines:
                return None
            broken = [(s, t) for s, t in naming.links if not prove(*linked(left[s], right[t], relation))]
            if not broken:
                return replace(refinement, converse=refinement.converse and not naming.settled)
            for link in broken:
                naming.drop(link)

    def _doubts(self, *sides: list[Part]) -> Doubts:
        """The leaves of either side that over the reals may be no numbers."""
        if not self._numbers:
            return frozenset(), frozenset()
        first, second = (
            frozenset(
                k
                for k, p in enumerate(parts)
                if p.leaf and isinstance(p.type, FloatType) and not numbers.position(p.position)
            )
            for numbers, parts in zip(self._numbers, sides, strict=True)
        )
        return first, second

    def _expand(
        self,
        naming: Naming,
        parts: tuple[list[Part], list[Part]],
        relation: isl.Map,
        expanded: tuple[Expanded, Expanded],
    ) -> bool:
        """Replaces more leaves by what was written: those without an equal on the other side or, if none of these can
        be, all. Returns whether there were any."""
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
        """The leaves that have a single producer statement wherever the terms are compared, with that statement."""
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
        points = self._points(relation)
        return not compatible(self._cuts.at_samples(0, source, points), self._cuts.at_samples(1, target, points))

    def _points(self, relation: isl.Map) -> list[Sample]:
        """A few sample pairs of a relation; cached, as the operands of two terms are asked for at the same relation."""
        if self._latest is None or self._latest[0] is not relation:
            self._latest = relation, samples(self._space, relation, MOST_SAMPLES)
        return self._latest[1]

    def _compare(self, source: Term, target: Term) -> Refinement:
        key = (source.id, target.id)
        if key not in self._compared:
            self._compared[key] = self._scalars.compare(source, target)
        return self._compared[key]

    def _agree(self, source: Vector, target: Vector, kind: ScalarType) -> bool:
        """Whether no sample shows that two whole terms differ by more than rounding."""
        if self._scalars.loose and isinstance(kind, FloatType):
            digits = ROUGH.get(kind.name, 2)
            source, target = (tuple(nearly(v, digits) for v in values) for values in (source, target))
        return compatible(source, target)


def _is_of_floats(part: Part) -> bool:
    """Whether a part is a float, or has one as an operand."""
    operands = (a for a in part.args if isinstance(a, Term))
    return any(isinstance(kind, FloatType) for kind in (part.type, *[a.type for a in operands]))
