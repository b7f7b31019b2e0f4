"""Equality of two programs by well-founded induction over pairs of statement instances.

An obligation is a term of a source statement, a term of a target statement, and a relation between the instances of the
two: the terms have the same value at every two related instances. A term that reads memory is replaced by what its
producers wrote, at instances that ran before; equal operators reduce to their operands. Every step goes to an earlier
instance of one side or to a smaller term, so an obligation that is contained in one being proved is proved by
induction, and a relation may be widened if all of the wider one is then proved.

A relation means refinement (Alive2): where the source's value is poison, any target value will do.

Cites: Verdoolaege, Janssens, Bruynooghe, "Equivalence checking of static affine programs using widening to handle
    recurrences" (ISA).
"""

from __future__ import annotations

import islpy as isl

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Term, name_of
from hecv.dataflow.induction.aliased_reads import Overlaps
from hecv.dataflow.induction.commutative_matching import Orders
from hecv.dataflow.induction.constant_elements import hold_same
from hecv.dataflow.induction.copy_tracing import Made, without_choice
from hecv.dataflow.induction.hypothesis_table import Key, Table
from hecv.dataflow.induction.induction_evidence import Goal, Grounds
from hecv.dataflow.induction.induction_failures import Failures, named
from hecv.dataflow.induction.producer_split import by_literal
from hecv.dataflow.induction.relation_widening import Widening
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.affine_selects import selected
from hecv.dataflow.model.instance_values import of_some_size
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.reaching_definitions import Origins
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Initial, Position, Unsettled, is_index, is_undefined, reads
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.reduction_equality import Reductions
from hecv.dataflow.residual.scalar_residual import Residual
from hecv.dataflow.residual.term_leaves import is_leaf
from hecv.ops.fastmath_flags import has_fewer_flags

MAX_STEPS = 20_000
MAX_FAILED_WIDENINGS = 24
MAX_NESTED_WIDENINGS = 4
MAX_REGROUPINGS = 60
"""The most chains compared as multisets in one proof."""
MAX_CASES = 24
"""The most relations split into cases in one proof."""
MAX_CHOICES = 400
"""The most splits by where a `select` is one value; n lanes of a vector need about n for each."""


class Limit(Exception):
    """The proof search exceeded its limit of steps."""


class Induction:
    """One proof by induction: the table of obligations that are proved or being proved, with an undo log."""

    def __init__(
        self,
        space: Isl,
        source: Dataflow,
        target: Dataflow,
        partial: frozenset[str],
        residual: Residual | None = None,
        to_the_bit: bool = False,
        reductions: Reductions | None = None,
        eager: bool = False,
        computed: Computed | None = None,
        careful: bool = False,
        proper: tuple[Proper, Proper] | None = None,
    ) -> None:
        """`eager`: compares reads as chains of one operator before it follows them to their producers. `careful`:
        widens at some values of the parameters first."""
        self._computed = computed
        self._residual = residual
        self._eager = eager
        self._reductions = reductions
        self._regroupings = 0
        self._cases = 0
        self._choices = 0
        self._space = space
        self._source = source
        self._target = target
        self._partial = partial
        self._table = Table()
        self._origins = Origins(space)
        self._made = proper and (Made(self._origins, source, proper[0]), Made(self._origins, target, proper[1]))
        self._nested: dict[Key, int] = {}
        self._failed_widenings = 0
        self._tainted = 0
        self._to_the_bit = to_the_bit
        self._orders = Orders(source, target, to_the_bit, None if residual is None else residual.evaluate)
        self._widening = Widening(space, source, target, careful)
        self._overlaps = Overlaps(space, source, target)
        self.failures = Failures()
        self.traps: list[Goal] = []
        """Obligations that were proved to show that operators are defined."""
        self.rewritten = 0
        self.regrouped = 0
        self.visits = 0
        self.widenings = 0
        self.steps = 0

    @property
    def one_way(self) -> bool:
        """Whether only "the target refines the source" was proved, not the converse."""
        return self._table.one_way

    def prove(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Whether the obligation holds; `failures` says why not.

        Raises: Limit, islpy.Error.
        """
        mark = self._table.mark()
        if self._reduce(source, target, relation):
            return True
        self._table.undo(mark)
        return False

    def covers(self, statement: Instances, term: Term, instances: isl.Set) -> bool:
        """Whether the operator at the root of `term` was shown to be defined wherever the other side is."""
        if instances.is_empty():
            return True
        known = self._table.covered((statement.name, term.id))
        return known is not None and bool(instances.is_subset(known))

    def related(self, source: Instances, target: Instances) -> list[isl.Map]:
        """Relations proved between other statements in the same loops as these two, as guesses for these two: one may
        stand under a condition, and the other not."""
        homes = {s.name: s.loops() for flow in (self._source, self._target) for s in flow.program.statements}
        wanted = source.loops(), target.loops()
        proved = self._table.obligations.items()
        found = (r for ((one, _), (two, _)), r in proved if (homes.get(one), homes.get(two)) == wanted)
        named = (
            r.set_tuple_name(isl.dim_type.in_, source.name).set_tuple_name(isl.dim_type.out, target.name) for r in found
        )
        domains = self._source.domains[source.name], self._target.domains[target.name]
        return [r.intersect_domain(domains[0]).intersect_range(domains[1]) for r in named]

    def grounds(self, known: isl.Set) -> Grounds:
        """The evidence of the proof, which holds for the parameters `known`.

        Requires: `computed` was given.
        """
        assert self._computed is not None
        flows = self._source, self._target
        engines = self._orders, self._computed, self._residual, self._reductions
        return Grounds(known, flows, self._table.obligations, self.traps, *engines)

    def _fail(self, reason: str, source: Position, target: Position, relation: isl.Map) -> bool:
        self.failures.add(reason, source, target, relation, self._tainted == 0)
        return False

    def _reduce(self, source: Position, target: Position, relation: isl.Map) -> bool:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Limit
        if relation.is_empty():
            return True
        if is_undefined(source):
            if not is_undefined(target):
                self._table.note_one_way()
            return True
        if isinstance(source, Unsettled) or isinstance(target, Unsettled):
            return self._match_unsettled(source, target, relation)
        if reads(source) or reads(target):
            if self._eager and self._match_chains(source, target, relation):
                return True
            return self._move(source, target, relation)
        mark, failed = self._table.mark(), len(self.failures)
        regrouped = self._looks_regrouped(source, target, relation)
        early = self._match_differing if regrouped else self._match_chains
        if (regrouped or self._eager) and early(source, target, relation):
            self.failures.forget(failed)
            return True
        if isinstance(source, At) and isinstance(target, At):
            matched = self._match(source, target, relation)
        else:
            matched = self._match_initial(source, target, relation)
        if matched:
            return True
        self._table.undo(mark)
        if self._without_choice(source, target, relation):
            self.failures.forget(failed)
            return True
        late = self._match_scalar if self._eager else self._match_differing
        if not (not regrouped and late(source, target, relation)) and not self._in_cases(source, target, relation):
            return False
        self.failures.forget(failed)
        return True

    def _without_choice(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves two terms equal where one of them is a `select` of one value, and on the rest of the relation."""
        for side, position in enumerate((source, target)):
            if self._made is None or self._choices >= MAX_CHOICES:
                return False
            own = relation.domain() if side == 0 else relation.range()
            ways = self._made[side].idle(position, own)
            if not ways:
                continue
            self._choices += 1
            mark = self._table.mark()
            parts, rest = without_choice(source, target, relation, side, ways)
            # A loop, not `all`: a generator would put each level of a deep term on the C stack.
            for part in parts:
                if not self._visit(*part):
                    break
            else:
                if self._reduce(source, target, rest):
                    return True
            self._table.undo(mark)
        return False

    def _in_cases(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves two terms equal case by case, for the different literals that one of them reads."""
        parts = by_literal(self._space, (self._source, self._target), source, target, relation)
        if self._cases >= MAX_CASES or self._residual is None or not parts:
            return False
        self._cases += 1
        mark = self._table.mark()
        for part in parts:
            if not self._reduce(source, target, part):
                self._table.undo(mark)
                return False
        return True

    def _match_differing(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves two terms with different operands equal: as chains through memory, or as scalar code."""
        if self._match_chains(source, target, relation):
            return True
        return self._match_scalar(source, target, relation)

    def _looks_regrouped(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Whether the two are chains of one operator whose operands, in either order, do not look equal."""
        if self._reductions is None or self._residual is None or not self._reductions.concerns(source, target):
            return False
        assert isinstance(source, At) and isinstance(target, At)
        if source.term.op != target.term.op:
            return True
        residual, some = self._residual, of_some_size(self._space, relation)

        def differ(left: Term, right: Term) -> bool:
            return residual.differ(At(source.statement, left), At(target.statement, right), some)

        orders = self._orders.of(source.term, target.term) if self._orders.commutative(source.term) else []
        pairings = [zip(source.term.args, args, strict=True) for args in orders or [target.term.args]]
        return all(any(differ(left, right) for left, right in pairing) for pairing in pairings)

    def _match_chains(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves that two chains of an associative and commutative operator combine the same terms."""
        if self._reductions is None or self._regroupings >= MAX_REGROUPINGS:
            return False
        if not self._reductions.concerns(source, target):
            return False
        self._regroupings += 1
        mark = self._table.mark()
        found = self._reductions.attempt(source, target, relation, self.prove)
        if found is None:
            self._table.undo(mark)
            return False
        self.regrouped += 1
        if found.one_way:
            self._table.note_one_way()
        return True

    def _match_scalar(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves that two terms with different operators are equal as scalar code over equal leaves."""
        if self._residual is None:
            return False
        found = self._residual.attempt(source, target, relation, self.prove)
        if found is None:
            return False
        self.rewritten += 1
        if not found.converse:
            self._table.note_one_way()
        if found.defined:
            self._cover_operators(target, relation.range())
        if found.converse:
            self._cover_operators(source, relation.domain())
        return True

    def _cover_operators(self, position: Position, instances: isl.Set) -> None:
        """Records each operator of a term that may be undefined as covered, down to the leaves, which were compared as
        a whole."""
        stack = [position.term] if isinstance(position, At) else []
        seen: set[int] = set()
        while stack:
            term = stack.pop()
            assert isinstance(position, At)
            at = At(position.statement, term)
            if term.id in seen or is_leaf(at, self._to_the_bit):
                continue
            seen.add(term.id)
            stack.extend(term.args)
            if term.op in self._partial:
                self._table.cover(at.key(), instances)

    def _move(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Replaces each side that reads memory by what its producers wrote, both sides at once: the relation between
        the producers of two reads is mostly simpler than that between the producer of one and the other read."""
        for left, from_left in self._origins.of(self._source, source):
            moved = relation if from_left is None else from_left.reverse().apply_range(relation)
            if moved.is_empty():
                continue
            for right, from_right in self._origins.of(self._target, target):
                further = moved if from_right is None else moved.apply_range(from_right)
                if not self._visit(left, right, further):
                    return False
        return True

    def _match_unsettled(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves two reads equal for every overlap (`hecv.dataflow.induction.aliased_reads`)."""
        if not (isinstance(source, Unsettled) and isinstance(target, Unsettled)):
            return self._match_filled(source, target, relation)
        first, second = source.at, target.at
        if not self._origins.are_same(first, first.term, second, second.term, relation):
            return self._fail("reads of other elements of memory that may overlap", source, target, relation)
        why = self._overlaps.compare(first, second, relation, self._visit)
        if why is not None:
            return self._fail(why, source, target, relation)
        flows = self._source, self._target
        left, right = (self._origins.nominal(flow, at) for flow, at in zip(flows, (first, second), strict=True))
        for one, to_one in left:
            for other, to_other in right:
                moved = to_one.reverse().apply_range(relation).apply_range(to_other)
                if not self._visit(one, other, moved):
                    return False
        return True

    def _match_filled(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves a read equal to the other side for every overlap, if all that it may read is one repeated byte."""
        side = 0 if isinstance(source, Unsettled) else 1
        unsettled, instances = ((source, relation.domain()), (target, relation.range()))[side]
        assert isinstance(unsettled, Unsettled)
        if self._overlaps.filled(side, unsettled.at, instances) is None:
            return self._fail("memory that may overlap is written before a read", source, target, relation)
        for one, way in self._origins.nominal((self._source, self._target)[side], unsettled.at):
            if side == 0:
                shown = self._visit(one, target, way.reverse().apply_range(relation))
            else:
                shown = self._visit(source, one, relation.apply_range(way))
            if not shown:
                return False
        return True

    def _match_initial(self, source: Position, target: Position, relation: isl.Map) -> bool:
        split = self._split(source, target, relation)
        if split is not None:
            return split
        if isinstance(target, Initial) and target.undefined:
            return self._fail("the target reads an element that was never written", source, target, relation)
        if hold_same((self._source, self._target), source, target, relation):
            return True
        if isinstance(source, Initial) and isinstance(target, Initial):
            if source.array != target.array:
                return self._fail("initial values of different arrays", source, target, relation)
            if relation.is_subset(isl.Map.identity(relation.get_space())):
                return True
            return self._fail("initial values of different elements", source, target, relation)
        return self._fail("a computed value against an initial value", source, target, relation)

    def _visit(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Proves an obligation reached by a move, through the table."""
        relation = self._space.coalesced(relation)
        if relation.is_empty():
            return True
        if is_undefined(source) or (isinstance(source, Initial) and isinstance(target, Initial)):
            return self._reduce(source, target, relation)  # the end: nothing to be proved by induction
        self.visits += 1
        key = (source.key(), target.key())
        known = self._table.obligations.get(key)
        if known is None:
            return self._attempt(key, source, target, relation)
        if relation.is_subset(known):
            return True
        nested = self._nested.get(key, 0)
        if nested == MAX_NESTED_WIDENINGS:
            return self._fail("the relation kept growing", source, target, relation)
        self._nested[key] = nested + 1
        proved = self._widen(key, source, target, known, relation)
        self._nested[key] = nested
        return proved

    def _widen(self, key: Key, source: Position, target: Position, known: isl.Map, more: isl.Map) -> bool:
        latest = self._table.replace_latest(key, more)
        for wider in self._widening.wider(source, target, known, more, latest):
            if self._failed_widenings and self._are_refuted(source, target, wider.subtract(known)):
                continue
            self.widenings += 1
            self._tainted += 1
            proved = self._attempt(key, source, target, wider)
            self._tainted -= 1
            if proved:
                return True
            self._failed_widenings += 1
            if self._failed_widenings > MAX_FAILED_WIDENINGS:
                raise Limit
        return False

    def _are_refuted(self, source: Position, target: Position, relation: isl.Map) -> bool:
        """Whether concrete values differ at some of the guessed instances; faster than a failing proof."""
        return self._residual is not None and self._residual.differ(source, target, relation)

    def _attempt(self, key: Key, source: Position, target: Position, relation: isl.Map) -> bool:
        mark = self._table.mark()
        self._table.put(key, relation)
        if self._reduce(source, target, relation):
            return True
        self._table.undo(mark)
        return False

    # Terms.

    def _match(self, source: At, target: At, relation: isl.Map) -> bool:
        left, right = source.term, target.term
        if (
            left is right
            and not left.args
            and left.op in ("const", "arg", "dim", "index.sizeof", OPAQUE, OPAQUE_PARTIAL)
        ):
            return True
        split = self._split(source, target, relation)
        if split is not None:
            return split
        affine = self._affine(source, target, relation)
        if affine is not None:
            return affine
        wrong = None if self._computed is None else self._computed.wrong(source, target, relation)
        if wrong is not None and wrong.is_empty():
            return True
        same = left.op == right.op and name_of(left) == name_of(right)
        if not same or left.type != right.type or len(left.args) != len(right.args):
            if wrong is not None:
                return self._fail(
                    "index values are equal only where their arithmetic does not overflow", source, target, wrong
                )
            return self._fail(f"`{named(left)}` against `{named(right)}`", source, target, relation)
        if not left.args:
            return self._fail(f"`{named(left)}` against `{named(right)}`", source, target, relation)
        if left.attrs != right.attrs:
            if not has_fewer_flags(left.attrs, right.attrs):
                return self._fail(f"`{named(left)}` with other attributes", source, target, relation)
            self._table.note_one_way()
        if left.op in self._partial:
            self._table.cover(source.key(), relation.domain())
            self._table.cover(target.key(), relation.range())
        if not self._orders.commutative(left):
            return self._operands(source, target, relation, right.args)
        mark = self._table.mark()
        for args in self._ordered(source, target, relation):
            if self._operands(source, target, relation, args):
                return True
            self._table.undo(mark)
        return False

    def _ordered(self, source: At, target: At, relation: isl.Map) -> list[tuple[Term, ...]]:
        """Both orders of the target's operands, the likelier first; an order that concrete values refute is left out,
        if another remains."""
        orders = self._orders.of(source.term, target.term)
        if any(term.args[0] is term.args[1] for term in (source.term, target.term)):
            return orders[:1]
        if self._orders.decides(source.term, target.term):
            return orders
        first = source.term.args[0]
        for args in orders if first.op == "load" else ():
            if args[0].op == "load" and self._origins.are_same(source, first, target, args[0], relation):
                return [args, *(o for o in orders if o is not args)]
        return [o for o in orders if not self._operands_differ(source, target, relation, o)] or orders[:1]

    def _operands_differ(self, source: At, target: At, relation: isl.Map, args: tuple[Term, ...]) -> bool:
        """Whether concrete values show that the operands in this order differ from the source's."""
        pairs = zip(source.term.args, args, strict=True)
        sides = ((At(source.statement, left), At(target.statement, right)) for left, right in pairs)
        return any(self._are_refuted(left, right, relation) for left, right in sides)

    def _operands(self, source: At, target: At, relation: isl.Map, args: tuple[Term, ...]) -> bool:
        # A loop, not `all`: a generator would put each level of a deep term on the C stack.
        for left, right in zip(source.term.args, args, strict=True):
            if not self._reduce(At(source.statement, left), At(target.statement, right), relation):
                return False
        return True

    def _affine(self, source: At, target: At, relation: isl.Map) -> bool | None:
        """Equality of two index terms by isl; None where one of the two is not quasi-affine."""
        if not (is_index(source.term) and is_index(target.term)) or source.term.type != target.term.type:
            return None
        try:
            left = source.statement.translator.index(source.term)
            right = target.statement.translator.index(target.term)
        except NotAffine:
            return None
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        if relation.is_subset(self._space.map(f"{{ {tuples} : {left.text} = {right.text} }}")):
            if source.term is target.term and source.term.op in self._partial:  # a quotient of arguments
                self._table.cover(source.key(), relation.domain())
                self._table.cover(target.key(), relation.range())
            return True
        return self._fail("index values differ", source, target, relation)

    def _split(self, source: Position, target: Position, relation: isl.Map) -> bool | None:
        """A `select` on an affine condition is one of its operands on each part of the relation."""
        found = selected(self._space, source, target, relation)
        if found is None:
            return None
        for left, right, part in found[1]:  # noqa: SIM110 (as in `_operands`)
            if not self._reduce(left, right, part):
                return False
        return True
