"""Induction variable widening: counters of type `iN`, and unsigned loops, become counters over `index`.

The theorem. Let a cell of `N` bits hold `t` where an iteration of a `While` begins and `t + c` where it ends, with a
literal `c`, and let the condition compare `t` with a `u` that the loop does not change. Let the cell hold `l` before
the loop. Read `t`, `u` and `l` as signed or unsigned, as the condition does. Then

* if the condition is `t < u`, `c > 0`, and no `t < u` makes `t + c` wrap, `t` is `l`, `l + c`, ... below `u`;
* if it is `t > u`, `c < 0`, and no `t > u` makes `t + c` wrap, `t` is `l - k`, for `k` from 0 to `l - u` step `-c`;
* if it is `t != u`, `t` is `l + k` for `k` from 0 to `(u - l) mod 2**N`, or `l - k` for `k` to `(l - u) mod 2**N`, in
  steps of 1, or of a literal that divides this number.

With `c` of 1 or -1 nothing wraps. If the condition is about `t + a` with a literal `a`, that is the counter, and `t` is
so far behind it, modulo `2**N`. `t <= u` is `t < u + 1`: where `u` is the greatest number the loop does not end, so a
demand excludes it. Each number is an `index`, which has at least two bits more. A cell behind the counter wraps on its
own. A flag of its sum would make it poison there, so there must be no flag unless both begin small.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.normal.whiles.while_counter import Comparison, Counter
from hecv.program.block_cloning import Replacement
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.index.index_ranges import NOTHING
from hecv.program.read_write_sets import Reads
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Call, Loop, walk


class Words:
    """Finds counters of type `iN`, for an `index` with at least two bits more."""

    def __init__(self, pool: TermPool, reads: Reads, index_width: int) -> None:
        self._pool = pool
        self._reads = reads
        self._widest = index_width - 2

    def find(
        self, cell: int, top: Term, first: Term, comparison: Comparison, ended: Term, inner: frozenset[int]
    ) -> Counter | None:
        """The counter whose load is `top`, which holds `first` before the loop and `ended` where an iteration ends;
        None if it is none. `inner` are the loads inside the loop."""
        predicate, left, right = comparison
        if not isinstance(top.type, IntType) or top.type.width > self._widest:
            return None
        before = self._ahead(left, top, first)
        found = before or self._ahead(right, top, first)
        bound = right if before is not None else left
        if found is None or self._reads.of(bound) & inner or not self._reads.is_total(bound):
            return None
        (ahead, demanded), (move, flags) = found, self._move(ended, top)
        if ahead and flags and not (move > 0 and self._is_small(first, ahead)):
            return None  # the cell, which is behind what counts, may wrap
        flags |= demanded
        counter = Counter(cell, top, 1 if move > 0 else -1, abs(move), self._later(first, ahead), bound)
        if not move:
            return None
        if predicate == "ne":
            found = self._until(counter, top.type, flags)
        elif (before is not None) != (move > 0) or flags - {"nsw" if predicate in ("slt", "sle") else "nuw"}:
            return None
        else:
            found = self._towards(counter, top.type, predicate)
        return found if found is None or not ahead else self._earlier(found, first, ahead)

    def _ahead(self, side: Term, top: Term, first: Term) -> tuple[int, frozenset[str]] | None:
        """How far a side of a comparison is ahead of the cell, modulo its type, and the overflow flags of that sum;
        None if it is no such sum. With a flag, only if the first sum is of small literals."""
        if side is top:
            return 0, frozenset()
        by, flags = self._move(side, top)
        return (by, flags) if by and (not flags or self._is_small(first, by)) else None

    def _is_small(self, first: Term, by: int) -> bool:
        """True if a cell begins with a small literal, and neither that nor the number `by` ahead of it is negative."""
        start = literal(first)
        assert isinstance(first.type, IntType)
        return isinstance(start, int) and 0 <= start <= start + by < 1 << (first.type.width - 1)

    def _later(self, first: Term, by: int) -> Term:
        """`first + by`, modulo the type."""
        kind, start = first.type, literal(first)
        assert isinstance(kind, IntType)
        if isinstance(start, int):
            return self._pool.integer((start + by) % (1 << kind.width), kind)
        amount = self._pool.integer(by % (1 << kind.width), kind)
        return self._pool.make("arith.addi", (first, amount), kind) if by else first

    def _earlier(self, counter: Counter, first: Term, by: int) -> Counter:
        """The counter of the cell itself, from the counter that is `by` ahead of it."""
        pool, base, kind = self._pool, counter.base, first.type
        assert base is not None and isinstance(kind, IntType)
        if literal(counter.first) == 0 and base is self._later(first, by):
            return replace(counter, base=first)
        start, end = literal(first), literal(counter.first)
        if isinstance(start, int) and isinstance(end, int) and start + by == end and literal(base) == 0:
            limit = quasi_affine.combine(pool, -by, ((counter.limit, 1),))
            return replace(counter, first=pool.integer(start), limit=limit)
        return replace(counter, base=self._later(base, -by))

    def move(self, ended: Term, top: Term) -> int:
        """How far a cell moves in an iteration, modulo its type; 0 if that is no literal, or if the cell may become
        poison."""
        by, flags = self._move(ended, top)
        return 0 if flags else by

    def _move(self, ended: Term, top: Term) -> tuple[int, frozenset[str]]:
        """How far a cell moves in an iteration, 0 if that is no literal, and the overflow flags. A flagged sum that
        moves down is of no use if read as unsigned."""
        assert isinstance(top.type, IntType)
        if ended.op not in ("arith.addi", "arith.subi") or any(name != "overflow" for name, _ in ended.attrs):
            return 0, frozenset()
        one, other = ended.args if ended.args[0] is top or ended.op == "arith.subi" else ended.args[::-1]
        by = literal(other)
        if one is not top or not isinstance(by, int):
            return 0, frozenset()
        by = signed(by, top.type.width)
        flags = frozenset(flag.strip() for _, value in ended.attrs for flag in str(value).split(","))
        if by < 0 and (flags or by == -(1 << (top.type.width - 1))):
            return 0, frozenset()
        return by if ended.op == "arith.addi" else -by, flags

    def _towards(self, counter: Counter, kind: IntType, predicate: str) -> Counter | None:
        """A counter that moves towards a limit, and may reach it if the predicate is not strict."""
        pool, reads_signed, strict = self._pool, predicate in ("slt", "sle"), predicate in ("slt", "ult")
        half = 1 << (kind.width - 1)
        least, most = (-half, half - 1) if reads_signed else (0, 2 * half - 1)
        end = self._number(counter.limit, reads_signed)
        value = literal(end)
        demands: tuple[Term, ...] = ()
        if isinstance(value, int):
            last = value + counter.sign * (counter.step - int(strict))  # from the last `t` on
            if not least <= last <= most:
                return None
        elif counter.step > 1:
            return None
        elif not strict:
            beyond = pool.integer((most if counter.sign > 0 else least) % (2 * half), kind)
            demands = (_compared(pool, "ne", counter.limit, beyond),)
        first = self._number(counter.first, reads_signed)
        if counter.sign > 0:
            limit = quasi_affine.combine(pool, int(not strict), ((end, 1),))
            return replace(counter, first=first, limit=limit, base=pool.integer(0, kind), demands=demands)
        limit = quasi_affine.combine(pool, int(not strict), ((first, 1), (end, -1)))
        return replace(counter, first=pool.integer(0), limit=limit, base=counter.first, demands=demands)

    def _until(self, counter: Counter, kind: IntType, flags: frozenset[str]) -> Counter | None:
        """A counter that moves until it equals its limit."""
        pool, up = self._pool, counter.sign > 0
        start, end = literal(counter.first), literal(counter.limit)
        wraps = start != 0 if up else end != 0
        if flags and (flags != frozenset(("nuw",)) or wraps or counter.step > 1):
            return None
        far, near = (counter.limit, counter.first) if up else (counter.first, counter.limit)
        if isinstance(start, int) and isinstance(end, int):
            distance = counter.sign * (end - start) % (1 << kind.width)
            limit = pool.integer(distance) if distance % counter.step == 0 else None
        elif counter.step > 1:
            limit = None
        elif literal(near) == 0:
            limit = self._number(far, False)
        else:
            limit = self._number(pool.make("arith.subi", (far, near), kind), False)
        return None if limit is None else replace(counter, first=pool.integer(0), limit=limit, base=counter.first)

    def _number(self, term: Term, reads_signed: bool) -> Term:
        """A term of type `iN` as an index."""
        return number(self._pool, term, reads_signed)


def number(pool: TermPool, term: Term, reads_signed: bool) -> Term:
    """A term of type `iN`, read as signed or unsigned, as an index of more bits."""
    value = literal(term)
    if isinstance(value, int):
        assert isinstance(term.type, IntType)
        return pool.integer(signed(value, term.type.width) if reads_signed else value)
    return pool.make("arith.index_cast" if reads_signed else "arith.index_castui", (term,), INDEX)


def signed_loop(pool: TermPool, loop: Loop, index_width: int) -> tuple[tuple[Term, ...], Loop] | None:
    """The unsigned loop as a signed one over `index`, and what must be demanded before it; None if they are not known
    to be the same.

    Where a demand fails the loop is undefined: its variable wraps or, over `index`, index arithmetic overflows.
    """
    if isinstance(loop.iv.type, IndexType):
        return _signed_indices(pool, loop)
    assert isinstance(loop.iv.type, IntType)
    width, step = loop.iv.type.width, literal(loop.step)
    calls = any(isinstance(s, Call) for s in walk(loop.body))
    if width > index_width - 2:
        same = all(not_negative(pool, t, index_width) for t in (*loop.lowers, *loop.uppers))
        return ((), replace(loop, unsigned=False)) if same and step == 1 else None
    if not isinstance(step, int) or step <= 0 or (calls and step > 1):
        return None
    if not isinstance(loop.iv.attr("depth"), int) or len(loop.lowers) != 1 or len(loop.uppers) != 1:
        return None
    low, high = (number(pool, t, False) for t in (*loop.lowers, *loop.uppers))
    demands: tuple[Term, ...] = ()
    if step > 1:
        steps = quasi_affine.ceildiv(pool, quasi_affine.subtract(pool, high, low), pool.integer(step))
        after = quasi_affine.extremum(
            pool, "affine.max", (low, quasi_affine.combine(pool, 0, ((low, 1), (steps, step))))
        )
        top = pool.integer((1 << width) - 1)
        demands = (_compared(pool, "sle", after, top),) if not _plainly(pool, top, after) else ()
    iv = pool.induction(int(str(loop.iv.attr("depth"))), INDEX)
    narrow = pool.make("arith.index_cast", (iv,), loop.iv.type)
    change = Replacement(pool, {loop.iv: narrow}.get)
    made = replace(
        loop,
        iv=iv,
        lowers=(low,),
        uppers=(high,),
        step=pool.integer(step),
        unsigned=False,
        body=rewrite(loop.body, change),
    )
    return demands, made


def not_negative(pool: TermPool, term: Term, index_width: int) -> bool:
    """True if a term of type `iN` is plainly nonnegative, so that it is one number read as signed or unsigned."""
    value, kind = literal(term), term.type
    assert isinstance(kind, IntType)
    if isinstance(value, int):
        return signed(value, kind.width) >= 0
    if term.op == "arith.index_cast" and isinstance(term.args[0].type, IndexType):
        return kind.width >= index_width and NOTHING.nonnegative(pool, term.args[0])
    return term.op == "arith.extui"


def _signed_indices(pool: TermPool, loop: Loop) -> tuple[tuple[Term, ...], Loop] | None:
    """A loop over `index` from a nonnegative number. If its upper bound is negative, the loop is too long for its
    variable."""
    step, zero = literal(loop.step), pool.integer(0)
    if not isinstance(step, int) or step <= 0 or any(isinstance(s, Call) for s in walk(loop.body)):
        return None
    if not all(_plainly(pool, low, zero) for low in loop.lowers) or len(loop.uppers) != 1:
        return None
    demands = tuple(_compared(pool, "sge", up, zero) for up in loop.uppers if not _plainly(pool, up, zero))
    return demands, replace(loop, unsigned=False)


def _plainly(pool: TermPool, more: Term, less: Term) -> bool:
    return NOTHING.nonnegative(pool, quasi_affine.subtract(pool, more, less))


def _compared(pool: TermPool, predicate: str, left: Term, right: Term) -> Term:
    return pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))
