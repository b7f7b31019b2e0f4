"""Detects the counter of a while loop: the cell that its condition compares with a bound, and that moves by a literal.

Over `index` arithmetic is exact: it is assumed not to overflow in bounds. Over `iN` a counter is only taken if it is
plain that it never wraps. A cell that moves along with the counter (a follower) is no bound: it may wrap, and the term
that replaces it wraps in the same way. A follower made by affine expressions does not wrap: these are assumed not to
overflow.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.normal.whiles.iv_widening import Words, not_negative
from hecv.normal.whiles.while_counter import Comparison, Counter, Follower, comparison_of
from hecv.ops import facts_about
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.index.index_ranges import NOTHING
from hecv.program.index.raising import Raiser
from hecv.program.read_write_sets import Reads, number

Known = dict[int, Term]
"""What cells hold, by the id of the cell."""

_NO_SIGNED_WRAP = (("overflow", "nsw"),)
_NO_UNSIGNED_WRAP = (("overflow", "nuw"),)
_NO_WRAP = (("overflow", "nsw,nuw"),)


class Counters:
    """Finds counters, and what they hold after the loop."""

    def __init__(self, pool: TermPool, reads: Reads, index_width: int) -> None:
        self._pool = pool
        self._raiser = Raiser(pool)
        self._reads = reads
        self._width = index_width
        self._words = Words(pool, reads, index_width)

    def find(
        self, condition: Term, tops: Known, first: Known, ended: Known, inner: frozenset[int]
    ) -> tuple[Counter, list[Follower]] | None:
        """The cell that the condition compares with a bound, and the cells that move along with it.

        `tops` are the loads of cells at the top of an iteration, `first` what cells hold before the loop, `ended` what
        they hold where an iteration ends, `inner` the loads inside the loop.
        """
        comparison = comparison_of(condition)
        used = self._reads.of(condition)
        for cell, top in tops.items():
            if comparison is None or number(top, "load") not in used or cell not in ended or cell not in first:
                continue
            if isinstance(top.type, IndexType):
                found = self._index_counter(cell, top, first[cell], comparison, ended[cell], inner)
            else:
                found = self._narrow_counter(cell, top, first[cell], comparison, ended[cell], inner)
                found = found or self._words.find(cell, top, first[cell], comparison, ended[cell], inner)
            if found is not None:
                return found, self._followers(found, tops, first, ended)
        return None

    def _index_counter(
        self, cell: int, top: Term, first: Term, comparison: Comparison, ended: Term, inner: frozenset[int]
    ) -> Counter | None:
        """A counter over `index`, where arithmetic is exact."""
        predicate, left, right = comparison
        move = self._move(ended, top)
        if not move:
            return None
        difference = quasi_affine.linear(quasi_affine.subtract(self._pool, self._exact(left), self._exact(right)))
        factor = dict(difference.terms).get(top)
        if factor not in (1, -1):
            return None
        step, sign = abs(move), 1 if move > 0 else -1
        others = tuple([(t, c) for t, c in difference.terms if t is not top])
        rest = quasi_affine.of_linear(self._pool, quasi_affine.Linear(difference.constant, others))
        if self._reads.of(rest) & inner or not self._reads.is_total(rest):
            return None
        first = self._scaled(self._exact(first), sign)
        if predicate == "ne":
            return self._unequal(Counter(cell, top, sign, step, first, self._scaled(rest, -factor * sign)))
        if factor != sign:
            return None
        limit = quasi_affine.combine(self._pool, int(predicate in ("sle", "ule")), ((rest, -1),))
        counter = Counter(cell, top, sign, step, first, limit)
        return self._unsigned(counter, comparison) if predicate in ("ult", "ule") else counter

    def _unsigned(self, counter: Counter, comparison: Comparison) -> Counter | None:
        """A counter that the condition compares unsigned with a bound.

        A counter that rises from a nonnegative number does not reach a negative one without overflow: a negative bound
        is too far. A counter that falls by 1 while above a nonnegative number stays nonnegative; a negative one falls
        to the end of the type.
        """
        predicate, left, right = comparison
        bound = self._exact(right if counter.sign > 0 else left)
        if self._exact(left if counter.sign > 0 else right) is not counter.top:
            return None
        known, other = counter.first, bound
        if counter.sign < 0:  # `t >= 0` always holds
            known = quasi_affine.combine(self._pool, -int(predicate == "ule"), ((bound, 1),))
            other = self._scaled(counter.first, -1)
        if not NOTHING.nonnegative(self._pool, known) or (counter.sign < 0 and counter.step > 1):
            return None
        return self._demanding(counter, other)

    def _unequal(self, counter: Counter) -> Counter | None:
        """A loop until the counter equals its limit: it counts to there, or it goes on until it overflows."""
        pool, step = self._pool, counter.step
        distance = quasi_affine.subtract(pool, counter.limit, counter.first)
        value = literal(distance)
        if isinstance(value, int):
            return counter if value >= 0 and value % step == 0 else None
        counter = self._demanding(counter, distance)
        if step == 1 or quasi_affine.is_multiple(distance, step):
            return counter
        whole = quasi_affine.combine(pool, 0, ((quasi_affine.floordiv(pool, distance, pool.integer(step)), step),))
        equal = pool.make("arith.cmpi", (distance, whole), BOOL, (("predicate", "eq"),))
        return replace(counter, demands=(*counter.demands, equal))

    def _demanding(self, counter: Counter, index: Term) -> Counter:
        """The counter, with the demand that an index is at least 0."""
        if NOTHING.nonnegative(self._pool, index):
            return counter
        least = (index, self._pool.integer(0))
        return replace(counter, demands=(self._pool.make("arith.cmpi", least, BOOL, (("predicate", "sge"),)),))

    def _narrow_counter(
        self, cell: int, top: Term, first: Term, comparison: Comparison, ended: Term, inner: frozenset[int]
    ) -> Counter | None:
        """A counter over `iN` that rises to below a bound without wrapping."""
        predicate, left, right = comparison
        assert isinstance(top.type, IntType)
        half = 1 << (top.type.width - 1)
        if predicate not in ("slt", "ult") or left is not top or ended.op != "arith.addi" or ended.args[0] is not top:
            return None
        if predicate == "ult" and not self._is_same_signed(top.type, first, right):
            return None
        allowed = ((), _NO_SIGNED_WRAP) if predicate == "slt" else ((), _NO_SIGNED_WRAP, _NO_UNSIGNED_WRAP, _NO_WRAP)
        if ended.attrs not in allowed:
            return None
        value, end = literal(ended.args[1]), literal(right)
        if not isinstance(value, int) or not 0 < value < half:
            return None
        fits = value == 1 or (
            isinstance(end, int) and predicate == "slt" and signed(end, top.type.width) <= half - value
        )
        if not fits or self._reads.of(right) & inner or not self._reads.is_total(right):
            return None
        return Counter(cell, top, 1, value, first, right)

    def _is_same_signed(self, kind: IntType, first: Term, bound: Term) -> bool:
        """True if a counter too wide for an `index` with two bits to spare counts between nonnegative numbers, so that
        signed and unsigned comparison agree."""
        wide = kind.width > self._width - 2
        return wide and all(not_negative(self._pool, t, self._width) for t in (first, bound))

    def _move(self, ended: Term, top: Term) -> int | None:
        """How far an index cell moves in one iteration; None if that is no literal.

        `nsw` says nothing of a sum that does not overflow. A cell that holds poison stays poison.
        """
        if ended.op == "arith.addi" and ended.attrs == _NO_SIGNED_WRAP:
            ended = self._pool.make(ended.op, ended.args, ended.type)
        move = quasi_affine.linear(quasi_affine.subtract(self._pool, self._exact(ended), top))
        return move.constant if all(t is top and c == 0 for t, c in move.terms) else None

    def _exact(self, term: Term) -> Term:
        return self._raiser.exact(term)

    def _scaled(self, term: Term, factor: int) -> Term:
        return quasi_affine.combine(self._pool, 0, ((term, factor),))

    def _followers(self, counter: Counter, tops: Known, first: Known, ended: Known) -> list[Follower]:
        """The other cells that move by a literal in each iteration; a counter over `index` tells how far they are."""
        found: list[Follower] = []
        if counter.kind != INDEX:
            return found
        for cell, top in tops.items():
            if cell == counter.cell or cell not in first or cell not in ended:
                continue
            if isinstance(top.type, IntType) and counter.base is not None:
                move = self._words.move(ended[cell], top)
                if move and move % counter.step == 0:
                    found.append(Follower(cell, top, first[cell], move, False))
            if not isinstance(top.type, IndexType):
                continue
            exact = all(not facts_about(t.op).ring for t in postorder((ended[cell],)))
            move = self._move(ended[cell], top) if _is_sum(ended[cell]) else None
            if move is not None and move % counter.step == 0:
                found.append(Follower(cell, top, first[cell], move, exact))
        return found

    def after(self, follower: Follower, turns: Term) -> Term:
        """What a follower holds after `turns` iterations, by ops that wrap as the sums do that they replace."""
        pool = self._pool
        if not follower.move:
            return follower.first
        if follower.exact:
            return quasi_affine.combine(pool, 0, ((follower.first, 1), (turns, follower.move)))
        op, by, kind = "arith.addi" if follower.move > 0 else "arith.subi", abs(follower.move), follower.top.type
        assert isinstance(kind, IntType | IndexType)
        turns = turns if kind == INDEX else pool.make("arith.index_cast", (turns,), kind)
        far = pool.make("arith.muli", (turns, pool.integer(by, kind)), kind) if by > 1 else turns
        return (
            far if op == "arith.addi" and literal(follower.first) == 0 else pool.make(op, (follower.first, far), kind)
        )

    def at(self, counter: Counter, value: Term) -> Term:
        """What the counter holds where the induction variable is `value`."""
        pool, kind = self._pool, counter.top.type
        if counter.base is None:
            return value if counter.sign == 1 else self._scaled(value, -1)
        narrow = pool.make("arith.index_cast", (value,), kind)
        if counter.sign > 0 and literal(counter.base) == 0:
            return narrow
        return pool.make("arith.addi" if counter.sign > 0 else "arith.subi", (counter.base, narrow), kind)

    def last(self, counter: Counter, followers: list[Follower]) -> Known:
        """What the counter and its followers hold after the last iteration."""
        if counter.kind != INDEX:
            return {}
        pool = self._pool
        span = quasi_affine.subtract(pool, counter.limit, counter.first)
        turns = quasi_affine.extremum(
            pool, "affine.max", (quasi_affine.ceildiv(pool, span, pool.integer(counter.step)), pool.integer(0))
        )
        end = quasi_affine.combine(pool, 0, ((counter.first, 1), (turns, counter.step)))
        if counter.step == 1:
            end = quasi_affine.extremum(pool, "affine.max", (counter.first, counter.limit))
        found = {counter.cell: self.at(counter, end)}
        for other in followers:
            found[other.cell] = self.after(other, turns)
        return found


def _is_sum(term: Term) -> bool:
    """True if a term is a sum of products of leaves that is not poison where it overflows."""
    return all(
        not t.args or t.op == "affine.linear" or (facts_about(t.op).ring and not t.attrs) for t in postorder((term,))
    )
