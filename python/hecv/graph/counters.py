"""The counter of a while loop: the cell that its condition compares with a bound, and that moves by a literal.

Over `index`, arithmetic is exact: that it does not overflow in bounds is assumed. Over `iN` a counter is taken only
where it is plain that it never wraps. What moves along with a counter is no bound: it may wrap, and what stands for it
wraps as it does, unless affine expressions make it: that these do not overflow is assumed, too.
"""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX, IndexType, IntType
from hecv.graph import affine
from hecv.graph.conditions import RING
from hecv.graph.raising import Raiser
from hecv.graph.scopes import Reads, number
from hecv.graph.widening import signed

Known = dict[int, Term]
"""What cells hold, by the id of the cell."""

_NO_SIGNED_WRAP = (("overflow", "nsw"),)
_OPPOSITE = {"slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt", "eq": "ne", "ne": "eq"}


class Counter(Struct, frozen=True):
    """The cell that counts: `sign * (its value)` goes up by `step`, from `first` to `limit`; `top` is its load."""

    cell: int
    top: Term
    sign: int
    step: int
    first: Term
    limit: Term


class Follower(Struct, frozen=True):
    """A cell that goes up by `move` in each iteration, from `first`; `top` is its load at the top. Unless it is `exact`
    it may wrap."""

    cell: int
    top: Term
    first: Term
    move: int
    exact: bool


class Counters:
    """Finds counters, and what they hold in the end."""

    def __init__(self, pool: TermPool, reads: Reads) -> None:
        self._pool = pool
        self._raiser = Raiser(pool)
        self._reads = reads

    def find(
        self, condition: Term, tops: Known, first: Known, ended: Known, inner: frozenset[int]
    ) -> tuple[Counter, list[Follower]] | None:
        """The cell that the condition compares with a bound, and those that move along with it.

        `tops` are the loads of cells at the top of an iteration, `first` what cells hold before the loop, `ended` what
        they hold where an iteration ends, `inner` the loads inside the loop.
        """
        comparison = _comparison(condition)
        used = self._reads.of(condition)
        for cell, top in tops.items():
            if comparison is None or number(top, "load") not in used or cell not in ended or cell not in first:
                continue
            if isinstance(top.type, IndexType):
                found = self._index_counter(cell, top, first[cell], comparison, ended[cell], inner)
            else:
                found = self._narrow_counter(cell, top, first[cell], comparison, ended[cell], inner)
            if found is not None:
                return found, self._followers(found, tops, first, ended)
        return None

    def _index_counter(
        self, cell: int, top: Term, first: Term, comparison: tuple[str, Term, Term], ended: Term, inner: frozenset[int]
    ) -> Counter | None:
        """A counter over `index`, where arithmetic is exact."""
        predicate, left, right = comparison
        move = self._move(ended, top)
        if not move:
            return None
        difference = affine.linear(affine.subtract(self._pool, self._exact(left), self._exact(right)))
        factor = dict(difference.terms).get(top)
        if factor not in (1, -1):
            return None
        step, sign = abs(move), 1 if move > 0 else -1
        others = tuple([(t, c) for t, c in difference.terms if t is not top])
        rest = affine.of_linear(self._pool, affine.Linear(difference.constant, others))
        if self._reads.of(rest) & inner or not self._reads.is_total(rest):
            return None
        first = self._scaled(self._exact(first), sign)
        if predicate == "ne":
            return self._unequal(Counter(cell, top, sign, step, first, self._scaled(rest, -factor * sign)))
        if factor != sign:
            return None
        limit = affine.combine(self._pool, int(predicate == "sle"), ((rest, -1),))
        return Counter(cell, top, sign, step, first, limit)

    def _unequal(self, counter: Counter) -> Counter | None:
        """A loop until the counter is equal to its limit: it counts to there where it cannot step over it."""
        distance = literal(affine.subtract(self._pool, counter.limit, counter.first))
        exact = isinstance(distance, int) and distance >= 0 and distance % counter.step == 0
        return counter if exact else None

    def _narrow_counter(
        self, cell: int, top: Term, first: Term, comparison: tuple[str, Term, Term], ended: Term, inner: frozenset[int]
    ) -> Counter | None:
        """A counter over `iN` that goes up to below a bound, without wrapping."""
        predicate, left, right = comparison
        assert isinstance(top.type, IntType)
        half = 1 << (top.type.width - 1)
        if predicate != "slt" or left is not top or ended.op != "arith.addi" or ended.args[0] is not top:
            return None
        if ended.attrs not in ((), _NO_SIGNED_WRAP):
            return None
        value, end = literal(ended.args[1]), literal(right)
        if not isinstance(value, int) or not 0 < value < half:
            return None
        fits = value == 1 or (isinstance(end, int) and signed(end, top.type.width) <= half - value)
        if not fits or self._reads.of(right) & inner or not self._reads.is_total(right):
            return None
        return Counter(cell, top, 1, value, first, right)

    def _move(self, ended: Term, top: Term) -> int | None:
        """How far an index cell moves in one iteration, None where that is no literal.

        `nsw` says nothing of a sum that does not overflow. A cell that holds poison stays poison.
        """
        if ended.op == "arith.addi" and ended.attrs == _NO_SIGNED_WRAP:
            ended = self._pool.make(ended.op, ended.args, ended.type)
        move = affine.linear(affine.subtract(self._pool, self._exact(ended), top))
        return move.constant if all(t is top and c == 0 for t, c in move.terms) else None

    def _exact(self, term: Term) -> Term:
        return self._raiser.exact(term)

    def _scaled(self, term: Term, factor: int) -> Term:
        return affine.combine(self._pool, 0, ((term, factor),))

    def _followers(self, counter: Counter, tops: Known, first: Known, ended: Known) -> list[Follower]:
        """The other cells that move by a literal in each iteration; their place is told by a counter over `index`."""
        found: list[Follower] = []
        if not isinstance(counter.top.type, IndexType):
            return found
        for cell, top in tops.items():
            if cell == counter.cell or not isinstance(top.type, IndexType) or cell not in first or cell not in ended:
                continue
            exact = all(t.op not in RING for t in postorder((ended[cell],)))
            move = self._move(ended[cell], top) if _is_sum(ended[cell]) else None
            if move is not None and move % counter.step == 0:
                found.append(Follower(cell, top, first[cell], move, exact))
        return found

    def after(self, follower: Follower, turns: Term) -> Term:
        """What a follower holds after so many iterations: by ops that wrap as the sums do that they stand for."""
        pool = self._pool
        if not follower.move:
            return follower.first
        if follower.exact:
            return affine.combine(pool, 0, ((follower.first, 1), (turns, follower.move)))
        op, by = "arith.addi" if follower.move > 0 else "arith.subi", abs(follower.move)
        far = pool.make("arith.muli", (turns, pool.integer(by)), INDEX) if by > 1 else turns
        return pool.make(op, (follower.first, far), INDEX)

    def last(self, counter: Counter, followers: list[Follower]) -> Known:
        """What the counter and its followers hold after the last iteration."""
        if not isinstance(counter.top.type, IndexType):
            return {}
        pool = self._pool
        span = affine.subtract(pool, counter.limit, counter.first)
        turns = affine.extremum(
            pool, "affine.max", (affine.ceildiv(pool, span, pool.integer(counter.step)), pool.integer(0))
        )
        end = affine.combine(pool, 0, ((counter.first, 1), (turns, counter.step)))
        if counter.step == 1:
            end = affine.extremum(pool, "affine.max", (counter.first, counter.limit))
        found = {counter.cell: self._scaled(end, counter.sign)}
        for other in followers:
            found[other.cell] = self.after(other, turns)
        return found


def _is_sum(term: Term) -> bool:
    """Whether a term is a sum of products of leaves that is not poison where it overflows."""
    return all(not t.args or t.op == "affine.linear" or (t.op in RING and not t.attrs) for t in postorder((term,)))


def _comparison(condition: Term) -> tuple[str, Term, Term] | None:
    """A signed comparison as `<` or `<=`, or as `!=`, with its operands."""
    holds = True
    while condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        condition, holds = condition.args[0], not holds
    if condition.op != "arith.cmpi":
        return None
    left, right = condition.args
    predicate = str(condition.attr("predicate"))
    if not holds:
        predicate = _OPPOSITE.get(predicate, "")
    if predicate in ("sgt", "sge"):
        return ("slt" if predicate == "sgt" else "sle"), right, left
    return (predicate, left, right) if predicate in ("slt", "sle", "ne") else None
