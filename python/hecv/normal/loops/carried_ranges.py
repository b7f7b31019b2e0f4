"""Ranges of values that loops carry, by induction over the iterations, as an operator on each use of them.

    s = 0; for k { ... use s ...; s = (s + A[k]) mod 1000 }   =>   ... use min(s, 999) ...

A cell holds a value within bounds before the loop, and each iteration that starts within them ends within them: so it
is within them wherever the loop reads it, and after the loop. The extremum with an end of the range is the value
itself. Comparisons and narrower types then know the range, by what `arith.minui` means and by nothing else. A branch
whose condition has one value within the bounds is that way of it.

Bounds are widened to the literals of the function, then narrowed once. The guards of branches and selects count.

Cites: P. Cousot and R. Cousot, Abstract interpretation, POPL 1977, section 9 (widening and narrowing of intervals).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.normal.integers.guarded_bounds import GuardedBounds, meet
from hecv.ops.integer_bounds import Bounds, bounds, join
from hecv.program.block_cloning import Replacement
from hecv.program.proper_terms import ProperTerms
from hecv.program.term_substitution import rewrite
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Function,
    If,
    Load,
    Loop,
    MemoryKind,
    Statement,
    Store,
    While,
    roots,
    walk,
)

MOST_ROUNDS: Final = 12
"""Iterations in which the bounds of a loop are looked for; then each that still moves is that of its type."""
MOST_LITERALS: Final = 200
"""Literals at which bounds may stop, at most."""
MOST_STEPS: Final = 20_000
"""Statements that are looked at, at most; each loop around a statement looks at it several times."""

State = dict[int, Bounds]
"""What cells hold, by their id; anything if there is none."""
Run = Callable[[State], State]
"""What cells hold after an iteration, by what they hold before it."""


class _TooLong(Exception):
    """There are more statements to look at than are looked at."""


def with_carried_ranges(pool: TermPool, function: Function, index_width: int) -> Function:
    """The function with the ranges of what loops carry in each use of it.

    Requires: the tree as read. Ensures: it does the same on every input.
    """
    statements = [*walk(function.body)]
    carried = _carried(function.body)
    if not carried or any(isinstance(s, Call) for s in statements):
        return function
    ranges = _Ranges(pool, function, index_width)
    try:
        ranges.block(function.body, {}, {})
    except _TooLong:
        return function
    body = _decided(function.body, ranges.of_branches, ProperTerms(statements))
    given = {
        pool.read(s.id, s.memory.element): made
        for s in statements
        if isinstance(s, Load) and s.memory.id in carried and s.id in ranges.of_loads
        if (made := _clamped(pool, pool.read(s.id, s.memory.element), ranges.of_loads[s.id])) is not None
    }
    if not given and body == function.body:
        return function
    return replace(function, body=rewrite(body, Replacement(pool, given.get)))


def _decided(block: Block, known: Mapping[int, bool], proper: ProperTerms) -> Block:
    """The block with the branches that are taken in the place of those whose condition is `known`; one that may be
    poison stays, as that is undefined."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case If():
                then, otherwise = (_decided(b, known, proper) for b in (statement.then, statement.otherwise))
                taken = known.get(id(statement))
                if taken is None:
                    out.append(replace(statement, then=then, otherwise=otherwise))
                else:
                    tested = () if proper(statement.condition) else (replace(statement, then=(), otherwise=()),)
                    out += [*tested, *(then if taken else otherwise)]
            case Loop():
                out.append(replace(statement, body=_decided(statement.body, known, proper)))
            case While():
                before, after = (_decided(b, known, proper) for b in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)


def _carried(block: Block) -> frozenset[int]:
    """The integer cells that some loop writes and reads."""
    found: set[int] = set()
    for loop in walk(block):
        if isinstance(loop, Loop | While):
            inner = [*walk((loop,))]
            made = {s.memory.id for s in inner if isinstance(s, Alloc)}
            ids = [{s.memory.id for s in inner if isinstance(s, kind) and _is_cell(s)} for kind in (Load, Store)]
            found |= (ids[0] & ids[1]) - made
    return frozenset(found)


def _is_cell(access: Load | Store) -> bool:
    return access.memory.kind is MemoryKind.CELL and isinstance(access.memory.element, IntType | IndexType)


def _clamped(pool: TermPool, value: Term, known: Bounds) -> Term | None:
    """The value as an extremum with the ends of its range; None if it may be any."""
    if not isinstance(value.type, IntType) or value.type.width == 1 or known.exact is not None:
        return None
    whole, half = (1 << known.width) - 1, 1 << (known.width - 1)
    if known.least >= 0 or known.least == -half:
        ends = ("arith.minui", known.high, whole), ("arith.maxui", known.low, 0)
    else:
        ends = ("arith.minsi", known.most, half - 1), ("arith.maxsi", known.least, -half)
    made = value
    for op, end, free in ends:
        if end != free:
            made = pool.make(op, (made, pool.integer(end & whole, value.type)), value.type)
    return None if made is value else made


class _Ranges:
    """Follows what cells hold through a function."""

    def __init__(self, pool: TermPool, function: Function, index_width: int) -> None:
        self._pool = pool
        self._width = index_width
        self._ends = _literals(function.body)
        self._left = MOST_STEPS
        self.of_loads: dict[int, Bounds] = {}
        """The bounds of what each load reads."""
        self.of_branches: dict[int, bool] = {}
        """The conditions that have one value, by the identity of the branch."""

    def block(self, block: Block, state: State, given: Mapping[Term, Bounds]) -> State:
        """What cells hold after a block; `given` are the bounds of terms in it."""
        given = dict(given)
        held: dict[int, Term] = {}  # what cells hold, as terms
        for statement in block:
            self._step(statement, state, given, held)
        return state

    def _step(self, statement: Statement, state: State, given: dict[Term, Bounds], held: dict[int, Term]) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooLong
        match statement:
            case Load(memory=memory) if _is_cell(statement):
                found = self._whole(memory.element) if memory.id not in state else state[memory.id]
                if memory.id in held:
                    known = GuardedBounds(self._width, given).of(held[memory.id])
                    found = found if known is None else meet(found, known)
                value = self._pool.read(statement.id, memory.element)
                given[value] = self.of_loads[statement.id] = found
                held[memory.id] = value
            case Store(memory=memory) if _is_cell(statement):
                known = GuardedBounds(self._width, given).of(statement.value)
                held[memory.id] = statement.value
                if known is not None:
                    state[memory.id] = known
            case Alloc(memory=memory):
                state.pop(memory.id, None)
                held.pop(memory.id, None)
            case Loop():
                body_given = {**given, **self._counted(statement, given)}
                self._iterate(lambda s: self.block(statement.body, s, body_given), state, statement)
                self._forget(statement, held)
            case While():
                self._iterate(lambda s: self._turn(statement, s, given)[1], state, statement)
                after, _ = self._turn(statement, dict(state), given)
                state.clear()
                state.update(after)
                self._forget(statement, held)
            case If():
                ways = GuardedBounds(self._width, given)
                self._decide(statement, ways.of(statement.condition))
                then, otherwise = (
                    self.block(block, dict(state), self._guarded(ways, statement.condition, holds, given))
                    for block, holds in ((statement.then, True), (statement.otherwise, False))
                )
                _update(state, then, otherwise)
                self._forget(statement, held)
            case _:
                pass

    def _decide(self, branch: If, known: Bounds | None) -> None:
        """Notes whether a condition has one value; a later look at the branch counts."""
        self.of_branches.pop(id(branch), None)
        if known is not None and known.exact is not None and literal(branch.condition) is None:
            self.of_branches[id(branch)] = bool(known.exact)

    def _turn(self, loop: While, state: State, given: Mapping[Term, Bounds]) -> tuple[State, State]:
        """What cells hold where the condition is evaluated, and after an iteration from there."""
        inner = dict(given)
        held: dict[int, Term] = {}
        for statement in loop.before:
            self._step(statement, state, inner, held)
        tested = dict(state)
        guarded = self._guarded(GuardedBounds(self._width, inner), loop.condition, True, inner)
        known = GuardedBounds(self._width, guarded)
        for cell, value in held.items():
            narrower = known.of(value)
            if narrower is not None:
                state[cell] = meet(state[cell], narrower) if cell in state else narrower
        return tested, self.block(loop.after, state, guarded)

    def _guarded(
        self, known: GuardedBounds, condition: Term, holds: bool, given: Mapping[Term, Bounds]
    ) -> dict[Term, Bounds]:
        return {**given, **known.under(condition, holds).given}

    def _counted(self, loop: Loop, given: Mapping[Term, Bounds]) -> dict[Term, Bounds]:
        """The bounds of the variable of a loop."""
        known = GuardedBounds(self._width, given)
        lowers, uppers = ([b for t in terms if (b := known.of(t)) is not None] for terms in (loop.lowers, loop.uppers))
        width = self._whole(loop.iv.type).width
        if not lowers or not uppers:
            return {}
        if loop.unsigned:
            low, high = max(b.low for b in lowers), min(b.high for b in uppers) - 1
            return {loop.iv: bounds(width, unsigned=(low, high))} if low <= high else {}
        low, high = max(b.least for b in lowers), min(b.most for b in uppers) - 1
        return {loop.iv: bounds(width, signed=(low, high))} if low <= high else {}

    def _iterate(self, run: Run, state: State, loop: Loop | While) -> None:
        """Makes `state` hold before each iteration of a loop, and after the last, where it held before the loop."""
        entry = dict(state)
        written = {s.memory.id for s in walk((loop,)) if isinstance(s, Store | Alloc)}
        now = dict(entry)
        for _ in range(MOST_ROUNDS):
            joined = self._joined(entry, run(dict(now)), written)
            if self._is_kept(joined, now, written):
                break
            now = self._widened(now, joined, written)
        else:
            now = {c: b for c, b in entry.items() if c not in written}
        narrower = self._joined(entry, run(dict(now)), written)
        again = self._joined(entry, run(dict(narrower)), written)
        if self._is_kept(again, narrower, written):
            now = narrower
        run(dict(now))  # what loads read, as it is now known
        state.clear()
        state.update(now)

    def _is_kept(self, after: State, before: State, written: set[int]) -> bool:
        return all(c in after and _within(after[c], before[c]) for c in written & before.keys())

    def _joined(self, entry: State, after: State, written: set[int]) -> State:
        """What holds before any iteration, if that is what one leaves."""
        kept = {c: b for c, b in entry.items() if c not in written}
        return kept | {c: join(entry[c], after[c]) for c in written if c in entry and c in after}

    def _widened(self, now: State, joined: State, written: set[int]) -> State:
        found = dict(now)
        for cell in written & now.keys():
            if cell not in joined:
                del found[cell]
            elif not _within(joined[cell], now[cell]):
                found[cell] = self._wider(now[cell], join(now[cell], joined[cell]))
        return found

    def _wider(self, old: Bounds, new: Bounds) -> Bounds:
        """Bounds that hold `new`, with ends that moved at the next literal."""
        whole, half = (1 << new.width) - 1, 1 << (new.width - 1)
        low = new.low if new.low == old.low else self._end(new.low, 0, down=True)
        high = new.high if new.high == old.high else self._end(new.high, whole, down=False)
        least = new.least if new.least == old.least else self._end(new.least, -half, down=True)
        most = new.most if new.most == old.most else self._end(new.most, half - 1, down=False)
        return bounds(new.width, unsigned=(low, high), signed=(least, most))

    def _end(self, moved: int, last: int, down: bool) -> int:
        """The next literal from where an end moved to, or the last number of the type."""
        if down:
            return max((e for e in self._ends if last <= e <= moved), default=last)
        return min((e for e in self._ends if moved <= e <= last), default=last)

    def _whole(self, kind: object) -> Bounds:
        return bounds(kind.width if isinstance(kind, IntType) else self._width)

    def _forget(self, statement: Statement, held: dict[int, Term]) -> None:
        for inner in walk((statement,)):
            if isinstance(inner, Store | Alloc):
                held.pop(inner.memory.id, None)


def _update(state: State, then: State, otherwise: State) -> None:
    """Makes `state` what holds after either branch."""
    state.clear()
    state.update({c: join(then[c], otherwise[c]) for c in then.keys() & otherwise.keys()})


def _within(one: Bounds, other: Bounds) -> bool:
    """Whether all that the second says is said by the first."""
    bits = not other.zeros & ~one.zeros and not other.ones & ~one.ones
    unsigned = other.low <= one.low and one.high <= other.high
    return bits and unsigned and other.least <= one.least and one.most <= other.most


def _literals(block: Block) -> list[int]:
    """The numbers at which bounds may stop: the literals of a block and their neighbours, as numbers with and without a
    sign."""
    found: set[int] = set()
    for term in postorder(tuple([t for s in walk(block) for t in roots(s)])):
        value = literal(term)
        if isinstance(value, int) and len(found) < 3 * MOST_LITERALS:
            found |= {value - 1, value, value + 1}
            if isinstance(term.type, IntType) and value >> (term.type.width - 1):
                found |= {value - (1 << term.type.width) + k for k in (-1, 0, 1)}
    return sorted(found)
