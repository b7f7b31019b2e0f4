"""Well-founded induction over pairs of statement instances, checked: a table of obligations, step by step.

An obligation is a position of the source, one of the target, and a relation: for any two related instances, the value
of the source is refined by that of the target. A step proves an obligation, or leaves others from which it follows.

Theorem: if the steps of every entry of a table prove it from entries of the table, all entries hold. Proof: order the
values that a program computes by the time at which their statement runs, those of one instance by the size of the term.
Each step, except a reference to an entry, leaves obligations that are smaller: one side is an earlier value, and the
other is earlier too or stays; or it leaves the same terms on parts of the relation, which are no entries. A reference
is nowhere the first step of an entry. The order of a run is well-founded, so the entries hold by induction. Where a
relation comes from does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Term, name_of
from hecv.base.types import FloatType
from hecv.dataflow.induction.aliased_reads import Overlaps
from hecv.dataflow.induction.constant_elements import hold_same
from hecv.dataflow.induction.copy_tracing import Made, without_choice
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.reaching_definitions import Origins, within_arrays
from hecv.dataflow.model.real_valued import Numbers
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Initial, Position, Unsettled, is_index, is_undefined, reads
from hecv.dataflow.model.value_dataflow import Dataflow
from hecv.dataflow.pair_model import Pair, source_chooses
from hecv.dataflow.reductions.cancellation import Cancelling
from hecv.dataflow.reductions.constant_terms import Literals
from hecv.dataflow.reductions.reassociation import (
    chains_of,
    families,
    lacks_flags,
    links_alone,
    may_link,
    signs_zero,
)
from hecv.kernel.certificate.dataflow_format import Cases, Entry, Regrouped, Scalar, Step
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.dataflow.claim_lookup import Texts, position_at, tuple_of
from hecv.kernel.dataflow.leaf_correspondence import Link, Naming, Parts
from hecv.kernel.dataflow.operand_multisets import Bag, Matching
from hecv.ops import OPERATORS, facts_about
from hecv.ops.fastmath_flags import FloatMode, has_fewer_flags

CLOSED = frozenset(("const", "arg", "dim", "index.sizeof", OPAQUE, OPAQUE_PARTIAL))
"""Operators that have one value in a whole run if they have no operands."""

Compare = Callable[[Term, Term, RefinementProof, str], tuple[bool, bool, bool]]
"""Checks a proof about two scalar terms; returns whether the second refines the first in value, whether it is undefined
only where the first is, and whether both hold of the converse. Raises: Rejected."""


class Obligation(Struct, frozen=True):
    """The claim that the value at `target` refines that at `source`, wherever the relation holds.

    `fresh`: an entry before its first step, which may refer to no entry.
    """

    source: Position
    target: Position
    relation: isl.Map
    fresh: bool = False


class Setting(Struct, frozen=True):
    """The context of a table: `proper` says what is never poison, `computed` reads index values as integers, `compare`
    checks proofs about scalar code.

    `to_the_bit`: an op shows which NaN a float is, so no laws hold of floats. `mode` is the float mode.
    """

    pair: Pair
    flows: tuple[Dataflow, Dataflow]
    proper: tuple[Proper, Proper]
    computed: Computed
    texts: Texts
    to_the_bit: bool
    mode: FloatMode
    compare: Compare


class Table:
    """The entries of a certificate, and what their steps prove besides.

    `one_way`: some step proves refinement only. `covered`: the instances, by statement and term, at which an operator
    is evaluated on operands that refine those on which the other side evaluates it.
    """

    def __init__(self, setting: Setting, entries: Sequence[Entry]) -> None:
        """Raises: Rejected where an entry is not of the two programs."""
        self._setting = setting
        self._partial = setting.pair.partial
        self._space = setting.pair.space
        self._flows = setting.flows
        self._origins = Origins(setting.pair.space)
        self._overlaps = Overlaps(setting.pair.space, *setting.flows)
        sides_made = zip(setting.flows, setting.proper, strict=True)
        self._made = tuple(Made(self._origins, flow, proper) for flow, proper in sides_made)
        pair, mode, sides = setting.pair, setting.mode, tuple(zip(setting.flows, setting.proper, strict=True))
        self._cancelling = tuple(Cancelling(pair.space, *side, mode) for side in sides)
        self._numbers = tuple(map(Numbers, setting.flows)) if mode == "real" else ()
        self._literals = tuple(Literals(pair.space, flow, pair.pool, proper, mode) for flow, proper in sides)
        self._entries = [self._entry(k, entry) for k, entry in enumerate(entries)]
        self._shown = entries
        self._step = ""
        self._settles = source_chooses(pair)
        self.one_way = False
        self.covered: dict[tuple[str, int], isl.Set] = {}

    def check(self) -> None:
        """Checks every entry by its steps.

        Raises: Rejected.
        """
        for number, (obligation, entry) in enumerate(zip(self._entries, self._shown, strict=True)):
            self.show(obligation, entry.steps, f"entry {number}")

    def show(self, obligation: Obligation, steps: Sequence[Step], name: str) -> None:
        """Checks one obligation by the given steps.

        Raises: Rejected.
        """
        given, waiting, taken = iter(steps), [obligation], 0
        while waiting:
            step = next(given, None)
            self._step = f"{name}, step {taken}"
            if step is None:
                raise self._rejected("the steps end too early")
            waiting += reversed(self._left_over(waiting.pop(), step))
            taken += 1
        if next(given, None) is not None:
            raise Rejected(f"{name}, step {taken}", "nothing is left to be shown")

    def covers(self, statement: Instances, term: Term, instances: isl.Set) -> bool:
        """Whether the other side evaluates a possibly undefined operator on equal operands, at all the instances."""
        known = self.covered.get((statement.name, term.id))
        return bool(instances.is_empty()) or (known is not None and bool(instances.is_subset(known)))

    def _rejected(self, why: str) -> Rejected:
        return Rejected(self._step, why)

    def _entry(self, number: int, entry: Entry) -> Obligation:
        step = f"entry {number}"
        programs = [flow.program for flow in self._flows]
        source, target = position_at(programs[0], entry.source, step), position_at(programs[1], entry.target, step)
        ends = tuple_of(programs[0], source), tuple_of(programs[1], target)
        relation = self._setting.texts.map(entry.relation, *ends, step)
        for flow, position, own in zip(
            self._flows, (source, target), (relation.domain(), relation.range()), strict=True
        ):
            position = position.at if isinstance(position, Unsettled) else position
            if isinstance(position, At) and not own.is_subset(flow.domains[position.statement.name]):
                raise Rejected(step, "it relates instances that do not run")
        return Obligation(source, target, relation, fresh=True)

    # Steps

    def _left_over(self, obligation: Obligation, step: Step) -> list[Obligation]:
        """The obligations from which one follows by a step."""
        if isinstance(step, int):
            return self._refer(obligation, step)
        if isinstance(step, Scalar):
            return self._scalar(obligation, step)
        if isinstance(step, Regrouped):
            return self._regrouped(obligation, step)
        if isinstance(step, Cases):
            return self._in_cases(obligation, step)
        match step, obligation.source, obligation.target:
            case "none", _, _:
                return self._need(obligation.relation.is_empty(), "it relates some instances")
            case "poison", source, target:
                return self._poison(source, target)
            case "initial", Initial(array), Initial(other, undefined):
                self._need(array == other and not undefined, "these are no initial values of one array")
                relation = obligation.relation
                return self._need(relation.is_subset(isl.Map.identity(relation.get_space())), "elements differ")
            case "contents", source, target:
                same = hold_same(self._flows, source, target, obligation.relation)
                return self._need(same, "these are no elements of constants that hold the same")
            case "source", At() as source, _:
                return self._select(obligation, source, 0)
            case "target", _, At() as target:
                return self._select(obligation, target, 1)
            case "idle-source", source, _:
                return self._without_choice(obligation, source, 0)
            case "idle-target", _, target:
                return self._without_choice(obligation, target, 1)
            case "writes", source, target:
                return self._writes(obligation, source, target)
            case "overlap", Unsettled(source), Unsettled(target):
                return self._overlap(source, target, obligation.relation)
            case "every", Unsettled(source), target if not isinstance(target, Unsettled):
                return self._every(obligation, source, 0)
            case "every", source, Unsettled(target) if not isinstance(source, Unsettled):
                return self._every(obligation, target, 1)
            case str(step), At() as source, At() as target:
                return self._terms(obligation, step, source, target)
            case _:
                raise self._rejected(f"`{step}` is of two terms")

    def _need(self, holds: bool, why: str) -> list[Obligation]:
        """Nothing is left over where a condition holds."""
        if not holds:
            raise self._rejected(why)
        return []

    def _refer(self, obligation: Obligation, number: int) -> list[Obligation]:
        if not 0 <= number < len(self._entries) or obligation.fresh:
            raise self._rejected("it refers to no entry, or to itself")
        entry = self._entries[number]
        same = (obligation.source.key(), obligation.target.key()) == (entry.source.key(), entry.target.key())
        self._need(same, f"entry {number} is of other terms")
        source, target, relation = obligation.source, obligation.target, obligation.relation
        relation = within_arrays(self._setting.pair.space, self._flows, source, target, relation)
        return self._need(relation.is_subset(entry.relation), f"entry {number} does not cover it")

    def _in_cases(self, obligation: Obligation, cases: Cases) -> list[Obligation]:
        """The obligation on each part of a partition. A `fresh` entry stays so: the parts are no smaller obligation."""
        relation = obligation.relation
        parts = [self._setting.texts.like(text, relation, self._step) for text in cases.parts]
        rest = relation
        for part in parts:
            rest = rest.subtract(part)
        self._need(rest.is_empty(), "the cases leave something over")
        return [replace(obligation, relation=relation.intersect(part)) for part in parts]

    def _poison(self, source: Position, target: Position) -> list[Obligation]:
        self._need(is_undefined(source), "the source has a value")
        self.one_way = self.one_way or not is_undefined(target)
        return []

    def _select(self, obligation: Obligation, at: At, side: int) -> list[Obligation]:
        """A `select` on an affine condition is one of its operands on each part of the relation."""
        self._need(at.term.op == "arith.select", "it does not select")
        condition, *branches = at.term.args
        parts: list[Obligation] = []
        for holds, branch in zip((True, False), branches, strict=True):
            text = self._affine(lambda holds=holds: at.statement.translator.condition(condition, holds))
            where, part = self._space.set(f"{{ {at.statement.tuple_text()} : {text} }}"), At(at.statement, branch)
            if side == 0:
                parts.append(Obligation(part, obligation.target, obligation.relation.intersect_domain(where)))
            else:
                parts.append(Obligation(obligation.source, part, obligation.relation.intersect_range(where)))
        return parts

    def _without_choice(self, obligation: Obligation, position: Position, side: int) -> list[Obligation]:
        """Replaces a `select` by its value where both operands have one value; elsewhere it is left as it was."""
        relation = obligation.relation
        ways = self._made[side].idle(position, relation.domain() if side == 0 else relation.range())
        self._need(bool(ways), "it selects one of several values")
        parts, rest = without_choice(obligation.source, obligation.target, relation, side, ways)
        return [*(Obligation(*part) for part in parts), replace(obligation, relation=rest)]

    def _writes(self, obligation: Obligation, source: Position, target: Position) -> list[Obligation]:
        """Replaces reads by what was written, on both sides at once; a side that is no read stays."""
        self._need(reads(source) or reads(target), "neither side reads")
        parts: list[Obligation] = []
        for left, from_left in self._origins.of(self._flows[0], source):
            moved = obligation.relation
            if from_left is not None:
                moved = from_left.reverse().apply_range(moved)
            for right, from_right in self._origins.of(self._flows[1], target):
                parts.append(Obligation(left, right, moved if from_right is None else moved.apply_range(from_right)))
        return parts

    def _overlap(self, source: At, target: At, relation: isl.Map) -> list[Obligation]:
        """Two reads of one element, for every overlap of the arrays that are written before it."""
        same = self._origins.are_same(source, source.term, target, target.term, relation)
        self._need(same, "they are of other elements")
        parts: list[Obligation] = []

        def left_over(left: Position, right: Position, pairs: isl.Map) -> bool:
            parts.append(Obligation(left, right, pairs))
            return True

        why = self._overlaps.compare(source, target, relation, left_over)
        if why is not None:
            raise self._rejected(why)
        for left, from_left in self._origins.nominal(self._flows[0], source):
            for right, from_right in self._origins.nominal(self._flows[1], target):
                left_over(left, right, from_left.reverse().apply_range(relation).apply_range(from_right))
        return parts

    def _every(self, obligation: Obligation, read: At, side: int) -> list[Obligation]:
        """If all that a read may read is one repeated byte, it reads what it would without overlap."""
        relation = obligation.relation
        instances = relation.domain() if side == 0 else relation.range()
        self._need(self._overlaps.filled(side, read, instances) is not None, "what may be read is not made of one byte")
        parts: list[Obligation] = []
        for one, way in self._origins.nominal(self._flows[side], read):
            if side == 0:
                parts.append(Obligation(one, obligation.target, way.reverse().apply_range(relation)))
            else:
                parts.append(Obligation(obligation.source, one, relation.apply_range(way)))
        return parts

    def _terms(self, obligation: Obligation, step: str, source: At, target: At) -> list[Obligation]:
        left, right, relation = source.term, target.term, obligation.relation
        match step:
            case "same":
                return self._need(left is right and not left.args and left.op in CLOSED, "these are not one value")
            case "index":
                return self._index(source, target, relation)
            case "computed":
                return self._need(self._setting.computed.equal(source, target, relation), "index values may differ")
            case "operands":
                return self._operands(obligation, source, target, right.args)
            case "crossed":
                self._need(self._commutes(left), f"`{left.op}` does not commute")
                return self._operands(obligation, source, target, (*right.args[1::-1], *right.args[2:]))
            case _:
                raise self._rejected(f"`{step}` is no step of two terms")

    def _index(self, source: At, target: At, relation: isl.Map) -> list[Obligation]:
        """Equality of two index terms that isl holds."""
        left, right = source.term, target.term
        self._need(is_index(left) and is_index(right) and left.type == right.type, "these are no indices")
        one = self._affine(lambda: source.statement.translator.index(left).text)
        two = self._affine(lambda: target.statement.translator.index(right).text)
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        equal = self._space.map(f"{{ {tuples} : {one} = {two} }}")
        if left is right and left.op in self._partial:  # a quotient of arguments
            self._cover(source, target, relation)
        return self._need(relation.is_subset(equal), "index values differ")

    def _operands(self, obligation: Obligation, source: At, target: At, args: Sequence[Term]) -> list[Obligation]:
        """One operator on operands that are refined: its value is."""
        left, right = source.term, target.term
        same = (left.op, name_of(left), left.type, len(left.args)) == (right.op, name_of(right), right.type, len(args))
        self._need(same and bool(args) and left.op != "load", "these are not one operator")
        self._need(left.attrs == right.attrs or has_fewer_flags(left.attrs, right.attrs), "attributes differ")
        self.one_way = self.one_way or left.attrs != right.attrs
        if left.op in self._partial:
            self._cover(source, target, obligation.relation)
        pairs = zip(left.args, args, strict=True)
        return [Obligation(At(source.statement, a), At(target.statement, b), obligation.relation) for a, b in pairs]

    def _scalar(self, obligation: Obligation, scalar: Scalar) -> list[Obligation]:
        """Both terms as scalar code over names for their leaves."""
        source, target, to_the_bit = obligation.source, obligation.target, self._setting.to_the_bit
        if isinstance(source, Unsettled) or isinstance(target, Unsettled):
            raise self._rejected("what memories overlap decides what is read")
        ends = (source, obligation.relation.domain()), (target, obligation.relation.range())
        sides = zip(self._flows, self._setting.proper, ends, strict=True)
        parts = [Parts(self._space, flow, proper, *end, self._step, to_the_bit) for flow, proper, end in sides]
        self._need(parts[0].type(parts[0].root()) == parts[1].type(parts[1].root()), "the types differ")
        pool = self._setting.pair.pool
        scalars = self._partial, scalar, self._step
        naming = Naming(pool, parts[0], parts[1], *scalars, self._settles, self._numbers)
        floats = to_the_bit and any(part.has_floats() for part in parts)
        self._need(not floats, "an op shows which NaN a float is")
        refines, defined, converse = self._setting.compare(*naming.terms(), scalar.proof, self._step)
        converse = converse and not naming.settled
        self._need(refines, "the terms are not shown to refine each other")
        self.one_way = self.one_way or not converse
        for end, part, shown in zip(ends, parts, (converse, defined), strict=True):
            if shown and isinstance(end[0], At):
                self._cover_operators(end[0].statement, part, end[1])
        return [_linked(obligation.relation, *link) for link in naming.links]

    def _regrouped(self, obligation: Obligation, step: Regrouped) -> list[Obligation]:
        """Both terms combine the same by one operator, in some order."""
        source, target, mode, texts = obligation.source, obligation.target, self._setting.mode, self._setting.texts
        if not (isinstance(source, At) and isinstance(target, At)) or step.family not in families():
            raise self._rejected("these are no chains of an operator")
        self._need(source.term.type == target.term.type, "the types differ")
        op, family = step.family, families()[step.family]
        variants = list(chains_of(op, family, source.term, mode, self._setting.to_the_bit))
        self._need(0 <= step.variant < len(variants), "this operator is not regrouped here")
        sides = zip(self._flows, variants[step.variant], (source, target), step.bags, self._literals, strict=True)
        first, second = (
            Bag(self._space, flow, texts, chain, root, nodes, literals, op, self._step)
            for flow, chain, root, nodes, literals in sides
        )
        self._need(may_link(first.links, second.links, mode), "the target's operators have flags of their own")
        relation = obligation.relation
        alone = links_alone(second.run(), first.run(), relation.reverse(), mode)
        self._need(not alone, "operators of the target with flags are run where none of the source's is")
        for bag, cancelling, claims in zip((first, second), self._cancelling, step.cancelled, strict=True):
            self._need(not claims or bool(bag.links), "it is no chain")
            if claims:
                bag.cancel(cancelling, claims, bag.links[0].op, texts)
        signed, once = signs_zero(op) and mode != "real", not facts_about(op).idempotent
        matching = Matching(texts, first, second, relation, signed, once, self._step)
        matches = matching.matched(step.matches)
        own = source.key(), target.key()
        self._need(all((m.source.at.key(), m.target.at.key()) != own for m in matches), "it rests on itself")
        alone = links_alone(first.run(), second.run(), relation, mode)
        self.one_way = self.one_way or alone or lacks_flags(first.links, second.links, mode)
        return [Obligation(m.source.at, m.target.at, m.pairs) for m in matches]

    def _cover_operators(self, statement: Instances, parts: Parts, instances: isl.Set) -> None:
        """Records each operator of a term that may be undefined as covered, down to its leaves."""
        for ref, term, _ in parts.below(parts.root()):
            if term is not None and len(ref) == 1 and not parts.is_leaf(ref) and term.op in self._partial:
                self._note(At(statement, term), instances)

    def _commutes(self, term: Term) -> bool:
        """Whether the first two operands may be exchanged; not for floats if an op shows which NaN a float is."""
        operator = OPERATORS.get(term.op)
        to_the_bit = self._setting.to_the_bit and isinstance(term.type, FloatType)
        return operator is not None and operator.facts.commutative and not to_the_bit

    def _cover(self, source: At, target: At, relation: isl.Map) -> None:
        self._note(source, relation.domain())
        self._note(target, relation.range())

    def _note(self, at: At, instances: isl.Set) -> None:
        known = self.covered.get(at.key())
        self.covered[at.key()] = instances if known is None else known.union(instances)

    def _affine(self, text: Callable[[], str]) -> str:
        try:
            return text()
        except NotAffine as problem:
            raise self._rejected(f"isl does not hold {problem.text}") from None


def _linked(relation: isl.Map, source: Link, target: Link) -> Obligation:
    """The obligation that a part of the source is refined by one of the target, each at its own instances."""
    (left, from_left), (right, from_right) = source, target
    moved = relation if from_left is None else relation.apply_domain(from_left)
    return Obligation(left, right, moved if from_right is None else moved.apply_range(from_right))
