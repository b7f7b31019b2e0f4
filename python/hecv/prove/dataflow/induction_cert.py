"""Writes a proof by induction down as a certificate (`hecv.kernel.certificate.dataflow_format`).

The search leaves a table of obligations, each of which it reduced to others within the table. What is written is one
more reduction of each, without widening: an obligation that comes up has to be within the table as it stands in the
end. That needs no log of the search, and costs the search nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import islpy as isl

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Term, name_of
from hecv.dataflow.induction.aliased_reads import Overlaps
from hecv.dataflow.induction.constant_elements import hold_same
from hecv.dataflow.induction.copy_tracing import Made, without_choice
from hecv.dataflow.induction.induction_evidence import Goal, Grounds
from hecv.dataflow.induction.producer_split import by_literal
from hecv.dataflow.model.affine_selects import selected
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.reaching_definitions import Origins, within_arrays
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import (
    At,
    Initial,
    Place,
    Position,
    Unsettled,
    is_index,
    is_undefined,
    numbered,
    reads,
)
from hecv.dataflow.model.value_dataflow import Budget, Dataflow
from hecv.dataflow.pair_model import OPERATIONS, Pair, same_instances
from hecv.dataflow.reductions.bag_nodes import Node as Grouped
from hecv.dataflow.residual.leaf_naming import Named
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.dataflow.residual.term_leaves import Frame, Part, linked
from hecv.kernel.certificate.dataflow_format import (
    Cases,
    DataflowProof,
    Entry,
    Idle,
    Node,
    Read,
    Ref,
    Regrouped,
    Rounds,
    Scalar,
    Step,
)
from hecv.kernel.certificate.dataflow_format import Place as Written
from hecv.kernel.certificate.rejection import Uncertified
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.ops.fastmath_flags import has_fewer_flags

MAX_STEPS: Final = 100_000
"""So many steps are tried."""

Refine = Callable[[Term, Term, Refinement], RefinementProof]
"""The certificate of how two scalar terms compare. Raises: Uncertified."""


def record(pair: Pair, grounds: Grounds, refine: Refine) -> DataflowProof:
    """The certificate of an induction.

    Raises: Uncertified where it has a step that is not written down.
    """
    known = pair.space.known
    pair.space.renew(OPERATIONS)
    pair.space.known = grounds.known
    try:
        return _Recorder(pair, grounds, refine).proof()
    except isl.Error as error:
        if not isinstance(pair.space.failure(error), Budget):
            raise
        raise Uncertified("dataflow", "the budget of isl operations is used up") from None
    except Budget:
        raise Uncertified("dataflow", "the budget of isl operations is used up") from None
    finally:
        pair.space.known = known


class _Recorder:
    def __init__(self, pair: Pair, grounds: Grounds, refine: Refine) -> None:
        self._refine = refine
        self._missing: str | None = None
        self._pair = pair
        self._space = pair.space
        self._grounds = grounds
        self._flows = grounds.flows
        self._entries: list[Goal] = []
        self._numbers: dict[tuple[Place, Place], int] = {}
        self._steps: list[Step] = []
        self._taken = 0
        self._written: dict[str, dict[int, int]] = {}
        self._origins = Origins(pair.space)
        self._overlaps = Overlaps(pair.space, *grounds.flows)
        width = pair.parameters.index_width
        self._made = tuple(Made(self._origins, flow, Proper(flow, width)) for flow in grounds.flows)

    def proof(self) -> DataflowProof:
        """Everything that the replayer is told."""
        known = str(self._grounds.known)
        arrays = tuple((name, self._steps_of(goal)) for name, goal in self._observable())
        shown: list[Entry] = []
        self._entries += self._grounds.traps
        while len(shown) < len(self._entries):
            source, target, relation = goal = self._entries[len(shown)]
            shown.append(Entry(self._place(source), self._place(target), str(relation), self._steps_of(goal)))
        sides = tuple(tuple(self._reads(flow)) for flow in self._flows)
        idle = tuple(_idle(flow) for flow in self._flows)
        return DataflowProof(known, (sides[0], sides[1]), tuple(shown), arrays, (idle[0], idle[1]))

    def _observable(self) -> Iterator[tuple[str, Goal]]:
        """The contents in the end of each array that is written and seen."""
        source, target = self._flows
        written = {s.write.array for f in self._flows for s in f.program.statements if s.write is not None}
        for name in source.program.arrays:
            first, second = source.final(name), target.final(name)
            if first is not None and second is not None and name in written:
                assert first.value is not None and second.value is not None
                relation = same_instances(self._pair, first, second)
                yield name, (At(first, first.value), At(second, second.value), relation)

    def _reads(self, flow: Dataflow) -> Iterator[Read]:
        """Where reads of arrays that are written have their values from."""
        for statement in flow.program.statements:
            for load, access in statement.reads.items():
                places = (access.array, *flow.program.overlapping(access.array))
                if not any(name in flow.writers for name in places) or flow.domains[statement.name].is_empty():
                    continue
                found = flow.producers[statement.name, load]
                writes = tuple((writer.name, str(pairs)) for writer, pairs in found.writes)
                initial = None if found.initial is None else str(found.initial)
                yield Read(self._place(At(statement, load)), writes, initial)

    def _place(self, position: Position) -> Written:
        if isinstance(position, Initial):
            return position.array, -1
        if isinstance(position, Unsettled):
            return position.at.statement.name, -2 - self._number(position.at.statement, position.at.term.id)
        return position.statement.name, self._number(position.statement, position.term.id)

    def _number(self, statement: Instances, term: int) -> int:
        name = statement.name
        if name not in self._written:
            self._written[name] = {t.id: k for k, t in enumerate(numbered(statement))}
        return self._written[name][term]

    # Steps

    def _steps_of(self, goal: Goal) -> tuple[Step, ...]:
        """The steps that show an obligation.

        Raises: Uncertified.
        """
        self._steps = []
        if not self._show(*goal):
            source, target, _ = goal
            why = f"no steps are written that show {_text(target)} to refine {_text(source)}"
            raise Uncertified("dataflow", self._missing or why)
        return tuple(self._steps)

    def _show(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Writes the steps that show an obligation; where there are none, writes nothing and answers so."""
        self._taken += 1
        if self._taken > MAX_STEPS:
            raise Uncertified("dataflow", "the proof has too many steps")
        mark = len(self._steps), len(self._entries)
        if self._shown(source, target, relation):
            return True
        self._back(mark)
        return False

    def _back(self, mark: tuple[int, int]) -> None:
        """Forgets what was written since."""
        steps, entries = mark
        del self._steps[steps:]
        for one, two, _ in self._entries[entries:]:
            del self._numbers[one.key(), two.key()]
        del self._entries[entries:]

    def _shown(self, source: Position, target: Position, relation: isl.Map) -> bool:
        if relation.is_empty():
            return self._write("none")
        if is_undefined(source):
            return self._write("poison")
        if isinstance(source, Unsettled) or isinstance(target, Unsettled):
            return self._unsettled(source, target, relation)
        if reads(source) or reads(target):
            mark = len(self._steps), len(self._entries)
            if self._moved(source, target, relation):
                return True
            self._back(mark)
            return self._regrouped(source, target, relation)
        mark = len(self._steps), len(self._entries)
        selected = self._selected(source, target, relation)
        if selected is False:  # a branch may rest on the condition as scalar code has it
            self._back(mark)
            return self._named(source, target, relation)
        if selected is not None:
            return True
        if isinstance(source, At) and isinstance(target, At):
            shown = self._matched(source, target, relation)
        else:
            shown = self._same_initial(source, target, relation)
        if shown:
            return True
        self._back(mark)
        if self._without_choice(source, target, relation):
            return True
        if self._regrouped(source, target, relation) or self._named(source, target, relation):
            return True
        return self._in_cases(source, target, relation)

    def _without_choice(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Two terms of which one selects what is one value."""
        for side, position in enumerate((source, target)):
            ways = self._made[side].idle(position, relation.domain() if side == 0 else relation.range())
            if not ways:
                continue
            mark = len(self._steps), len(self._entries)
            self._write(("idle-source", "idle-target")[side])
            parts, rest = without_choice(source, target, relation, side, ways)
            if all(self._refer(*part) for part in parts) and self._show(source, target, rest):
                return True
            self._back(mark)
        return False

    def _in_cases(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Two terms that are shown part by part."""
        parts = by_literal(self._space, self._flows, source, target, relation)
        self._write(Cases(tuple(map(str, parts))))
        for part in parts:
            if not self._show(source, target, part):
                return False
        return bool(parts)

    def _same_initial(self, source: Position, target: Position, relation: isl.Map) -> bool:
        same = isinstance(source, Initial) and isinstance(target, Initial) and source.array == target.array
        if same and relation.is_subset(isl.Map.identity(relation.get_space())):
            return self._write("initial")
        return hold_same(self._flows, source, target, relation) and self._write("contents")

    def _write(self, step: Step) -> bool:
        self._steps.append(step)
        return True

    def _moved(self, source: Position, target: Position, relation: isl.Map) -> bool:
        self._write("writes")
        for left, from_left in self._origins.of(self._flows[0], source):
            moved = relation if from_left is None else from_left.reverse().apply_range(relation)
            for right, from_right in self._origins.of(self._flows[1], target):
                further = moved if from_right is None else moved.apply_range(from_right)
                if not self._refer(left, right, further):
                    return False
        return True

    def _refer(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """An obligation within the table; what is plain without it is shown at once."""
        relation = self._space.coalesced(relation)
        key = (source.key(), target.key())
        both = isinstance(source, Initial) and isinstance(target, Initial)
        if relation.is_empty() or is_undefined(source) or both:
            return self._show(source, target, relation)
        known = self._grounds.table.get(key)
        if known is None:
            return False
        within = within_arrays(self._space, self._flows, source, target, relation)
        if not within.is_subset(known):
            return False
        if key not in self._numbers:
            self._numbers[key] = len(self._entries)
            self._entries.append((source, target, known))
        return self._write(self._numbers[key])

    def _unsettled(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Two reads that are equal whatever overlaps (`hecv.dataflow.induction.aliased_reads`)."""
        if not (isinstance(source, Unsettled) and isinstance(target, Unsettled)):
            return self._filled(source, target, relation)
        if not self._origins.are_same(source.at, source.at.term, target.at, target.at.term, relation):
            return False
        self._write("overlap")
        if self._overlaps.compare(source.at, target.at, relation, self._refer) is not None:
            return False
        for left, from_left in self._origins.nominal(self._flows[0], source.at):
            for right, from_right in self._origins.nominal(self._flows[1], target.at):
                if not self._refer(left, right, from_left.reverse().apply_range(relation).apply_range(from_right)):
                    return False
        return True

    def _filled(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """One read of which all that it may read is made of one byte."""
        side = 0 if isinstance(source, Unsettled) else 1
        unsettled, instances = ((source, relation.domain()), (target, relation.range()))[side]
        assert isinstance(unsettled, Unsettled)
        if self._overlaps.filled(side, unsettled.at, instances) is None:
            return False
        self._write("every")
        for one, way in self._origins.nominal(self._flows[side], unsettled.at):
            if side == 0:
                shown = self._refer(one, target, way.reverse().apply_range(relation))
            else:
                shown = self._refer(source, one, relation.apply_range(way))
            if not shown:
                return False
        return True

    def _selected(self, source: Position, target: Position, relation: isl.Map) -> bool | None:
        """A selection by an affine condition, None where there is none."""
        found = selected(self._space, source, target, relation)
        if found is None:
            return None
        side, cases = found
        self._write(("source", "target")[side])
        return all(self._show(left, right, part) for left, right, part in cases)

    def _matched(self, source: At, target: At, relation: isl.Map) -> bool:
        left, right = source.term, target.term
        if left is right and not left.args and left.op in _CLOSED:
            return self._write("same")
        equal = self._equal_indices(source, target, relation)
        if equal is not None:
            return equal and self._write("index")
        if self._grounds.computed.equal(source, target, relation):
            return self._write("computed")
        same = (left.op, name_of(left), left.type, len(left.args)) == (
            right.op,
            name_of(right),
            right.type,
            len(right.args),
        )
        if not same or not left.args or not (left.attrs == right.attrs or has_fewer_flags(left.attrs, right.attrs)):
            return False
        if left.attrs != right.attrs and not has_fewer_flags(left.attrs, right.attrs):
            return False
        if not self._grounds.orders.commutative(left):
            return self._operands(source, target, relation, right.args, "operands")
        for args in self._grounds.orders.of(left, right):
            step = "operands" if args == right.args else "crossed"
            if self._operands(source, target, relation, args, step):
                return True
        return False

    def _operands(self, source: At, target: At, relation: isl.Map, args: Sequence[Term], step: str) -> bool:
        mark = len(self._steps), len(self._entries)
        self._write(step)
        for left, right in zip(source.term.args, args, strict=True):
            if not self._show(At(source.statement, left), At(target.statement, right), relation):
                self._back(mark)
                return False
        return True

    def _regrouped(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Two chains of one operator as bags."""
        reductions = self._grounds.reductions
        if reductions is None or not (isinstance(source, At) and isinstance(target, At)):
            return False
        for found in reductions.groupings(source, target, relation):
            mark = len(self._steps), len(self._entries)
            first, second = (tuple(self._node(node) for node in bag) for bag in found.nodes)
            matches = tuple((k, n, str(self._space.coalesced(m.keyed))) for k, n, m in found.matches)
            ours, theirs = (tuple((c.first, c.second, str(c.pairs)) for c in side) for side in found.cancelled)
            self._write(Regrouped(found.family, found.variant, (first, second), (ours, theirs), matches))
            # A loop, not `all`: a generator would put each level of a deep term on the C stack.
            for _, _, match in found.matches:
                if not self._show(match.source.at, match.target.at, match.pairs):
                    self._back(mark)
                    break
            else:
                return True
        return False

    def _node(self, node: Grouped) -> Node:
        return Node(self._place(node.at), node.negative, str(self._space.coalesced(node.reach)), tuple(node.actions))

    def _named(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Two terms as scalar code over names for their leaves."""
        if self._grounds.residual is None:
            return False
        mark = len(self._steps), len(self._entries)

        def holds(left: Position, right: Position, pairs: isl.Map) -> bool:
            here = len(self._steps), len(self._entries)
            shown = self._show(left, right, pairs)
            self._back(here)
            return shown

        found = self._grounds.residual.find(source, target, relation, holds)
        if found is None:
            return False
        try:
            proof = self._refine(*found.terms, found.refinement)
        except Uncertified as problem:
            self._missing = problem.why
            return False
        self._write(self._scalar(found, proof))
        for s, t in found.links:
            if not self._show(*linked(found.parts[0][s], found.parts[1][t], relation)):
                self._back(mark)
                return False
        return True

    def _scalar(self, found: Named, proof: RefinementProof) -> Scalar:
        behind = tuple(
            sorted({ref[:k] for p in side for ref in self._refs(p) for k in range(1, len(ref))}) for side in found.parts
        )
        same = tuple(tuple((self._refs(p)[0], ref) for p in side for ref in self._refs(p)[1:]) for side in found.parts)
        sources, targets = ([self._refs(p)[0] for p in side] for side in found.parts)
        groups = tuple((tuple(sources[k] for k in s), tuple(targets[k] for k in t)) for s, t in found.groups)
        named = (sources, targets)
        replaced = tuple((side, named[side][leaf], named[1 - side][op]) for side, leaf, op in found.replaced)
        return Scalar((tuple(behind[0]), tuple(behind[1])), (same[0], same[1]), groups, replaced, proof)

    def _refs(self, part: Part) -> list[Ref]:
        """The part, then the leaves that have their value from where it has it."""
        if part.frame is None:
            return [()]
        assert isinstance(part.position, At)
        return [self._ref(frame, term) for frame, term in ((part.frame, part.position.term), *part.also)]

    def _ref(self, frame: Frame, term: Term) -> Ref:
        statements = {s.name: s for flow in self._flows for s in flow.program.statements}
        ids = zip(frame.names, (*frame.path, term.id), strict=True)
        return tuple(self._number(statements[name], number) for name, number in ids)

    def _equal_indices(self, source: At, target: At, relation: isl.Map) -> bool | None:
        left, right = source.term, target.term
        if not (is_index(left) and is_index(right)) or left.type != right.type:
            return None
        try:
            texts = [at.statement.translator.index(at.term).text for at in (source, target)]
        except NotAffine:
            return None
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        return bool(relation.is_subset(self._space.map(f"{{ {tuples} : {texts[0]} = {texts[1]} }}")))


_CLOSED: Final = frozenset(("const", "arg", "dim", "index.sizeof", OPAQUE, OPAQUE_PARTIAL))


def _text(position: Position) -> str:
    if isinstance(position, Initial):
        return f"what {position.array} holds first"
    at = position if isinstance(position, At) else position.at
    return f"`{name_of(at.term)}` of {at.statement.name}"


def _idle(flow: Dataflow) -> Rounds:
    """The writes that are left out, as text."""
    return tuple(tuple(Idle(i.writer, i.copier, str(i.step)) for i in found) for found in flow.idle)
