"""Guided expansion: transforms a program towards another one, since what cannot be undone in one is done in the other.

Both programs are walked side by side. Where blocks differ, the loops of one suggest how those of the other were
transformed: a step that is a multiple gives an unroll factor, a bound a split point. Each suggestion is a theorem with
a guessed parameter; it is applied if its obligations hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.egraph.programs.program_reduction import Known, Ledger, Standing, some
from hecv.patterns.calculus.loop_rules import LoopRule
from hecv.program.tree import Block, If, Loop, Statement, While, walk
from hecv.theorems.schedules.schedule_tree import step_of
from hecv.theorems.schedules.theorem_instance import Instance, Surroundings
from hecv.theorems.transforms import coalesce_interchange, fusion_distribution, unroll_peel_strip
from hecv.theorems.user_rules import loop_rule_instances

MAX_FACTOR = 256

Wrap = Callable[[Block], Block]


class Place(Struct, frozen=True):
    """A block of a program: what encloses it, and the program with another block in its place."""

    block: Block
    depth: int
    known: Known
    whole: Wrap


Steps = Callable[[Place, Block], Iterator[Block]]


class Guide:
    """Expands two programs towards each other."""

    def __init__(
        self, pool: TermPool, ledger: Ledger, assumptions: tuple[Term, ...], loops: tuple[LoopRule, ...] = ()
    ) -> None:
        self._pool = pool
        self._ledger = ledger
        self._assumptions = assumptions
        self._loops = loops

    def expanded(self, program: Block, other: Block) -> Iterator[Block]:
        """The program after each step that brings it nearer to the other."""
        yield from self._blocks(Place(program, 0, (), lambda b: b), other)

    def proposed(self, program: Block, other: Block) -> Iterator[Block]:
        """The program after each step that a user's rule proposes where the programs differ."""
        if self._loops:
            yield from self._proposals(Place(program, 0, (), lambda b: b), other)

    def _proposals(self, place: Place, other: Block) -> Iterator[Block]:
        start, mine, theirs = self._difference(place.block, other)
        for at in range(start, start + len(mine)):
            for rule in self._loops:
                yield from self._proposal(place, at, rule)
        for one, two in _pairs(mine, theirs):
            yield from self._inside(place, start + one, theirs[two], self._proposals)

    def _proposal(self, place: Place, at: int, rule: LoopRule) -> Iterator[Block]:
        for known in dict.fromkeys(((), place.known)):
            around = Surroundings(place.depth, known, self._assumptions)
            found = False
            for count, instance in loop_rule_instances.instances(self._pool, around, rule, place.block[at:]):
                there = self._ledger.same(place.block[at : at + count], instance.before)
                if there and self._applies(instance, place, at, known, count):
                    found = True
                    yield place.whole((*place.block[:at], *instance.after, *place.block[at + count :]))
            if found:
                return

    def distance(self, program: Block, other: Block) -> int:
        """The number of statements in which the programs differ."""
        _, mine, theirs = self._difference(program, other)
        if len(mine) == len(theirs) == 1:
            match mine[0], theirs[0]:
                case Loop() as one, Loop() as two if replace(one, body=()) == replace(two, body=()):
                    return 1 + self.distance(one.body, two.body)
                case _:
                    pass
        return sum(1 for block in (mine, theirs) for _ in walk(block))

    def _blocks(self, place: Place, other: Block) -> Iterator[Block]:
        start, mine, theirs = self._difference(place.block, other)
        if not mine and not theirs:
            return
        yield from self._moved(place, start, mine, theirs)
        for one, two in _pairs(mine, theirs):
            yield from self._inside(place, start + one, theirs[two], self._blocks)
        for at, statement in enumerate(mine):
            if isinstance(statement, Loop):
                yield from self._loop(place, start + at, statement, tuple(mine), tuple(theirs))

    def _moved(self, place: Place, start: int, mine: Block, theirs: Block) -> Iterator[Block]:
        """The statement that the other program has first, brought before those that it is independent of."""
        count = next((k for k in range(1, len(mine)) if self._ledger.same((mine[k],), theirs[:1])), None)
        if count is None:
            return
        for known in dict.fromkeys(((), place.known)):
            around = Surroundings(place.depth, known, self._assumptions)
            found = fusion_distribution.swap(self._pool, around, mine[:count], mine[count : count + 1])
            if self._applies(found, place, start, known, count + 1):
                yield place.whole((*place.block[:start], *found.after, *place.block[start + count + 1 :]))
                return

    def _difference(self, left: Block, right: Block) -> tuple[int, Block, Block]:
        """Where the blocks begin to differ, and the statements up to where they are the same again."""
        start, end = 0, 0
        while start < min(len(left), len(right)) and self._ledger.same((left[start],), (right[start],)):
            start += 1
        while end < min(len(left), len(right)) - start and self._ledger.same((left[-1 - end],), (right[-1 - end],)):
            end += 1
        return start, left[start : len(left) - end], right[start : len(right) - end]

    def _inside(self, place: Place, at: int, other: Statement, steps: Steps) -> Iterator[Block]:
        """Steps within a statement that stands against one of the other program."""
        statement = place.block[at]

        def whole(new: Statement) -> Block:
            return place.whole((*place.block[:at], new, *place.block[at + 1 :]))

        match statement, other:
            case Loop(), Loop():
                inside = Place(
                    statement.body,
                    place.depth + 1,
                    (*place.known, statement),
                    lambda b: whole(replace(statement, body=b)),
                )
                yield from steps(inside, other.body)
            case If(), If():
                then = Place(statement.then, place.depth, place.known, lambda b: whole(replace(statement, then=b)))
                yield from steps(then, other.then)
                rest = Place(
                    statement.otherwise, place.depth, place.known, lambda b: whole(replace(statement, otherwise=b))
                )
                yield from steps(rest, other.otherwise)
            case While(), While():
                body = Place(statement.after, place.depth, place.known, lambda b: whole(replace(statement, after=b)))
                yield from steps(body, other.after)
            case _:
                pass

    def _loop(self, place: Place, at: int, loop: Loop, mine: Block, theirs: Block) -> Iterator[Block]:
        for make in self._suggestions(loop, mine, theirs):
            for known in dict.fromkeys(((), place.known)):
                around = Surroundings(place.depth, known, self._assumptions)
                found = next((i for i in make(around) if self._applies(i, place, at, known)), None)
                if found is not None:
                    yield place.whole((*place.block[:at], *found.after, *place.block[at + 1 :]))
                    break

    def _applies(self, instance: Instance, place: Place, at: int, known: Known, count: int = 1) -> bool:
        """Whether an instance about so many statements holds; it is then entered."""
        first, rest = place.block[:at], place.block[at + count :]
        stands = Standing(place.depth, rest, lambda b: place.whole((*first, *b)), bool(known))
        return self._ledger.apply(instance, stands)

    def _suggestions(
        self, loop: Loop, mine: Block, theirs: Block
    ) -> Iterator[Callable[[Surroundings], Iterator[Instance]]]:
        pool = self._pool
        step = step_of(loop)
        loops = [s for s in theirs if isinstance(s, Loop)]
        if step is None:
            return
        for other in loops:
            factor = (step_of(other) or 0) // step
            if 2 <= factor <= MAX_FACTOR and other.iv is loop.iv:
                middles = (*other.uppers[:1], unroll_peel_strip.middle_of(pool, loop, factor), None)
                for middle in dict.fromkeys(middles):
                    yield lambda a, f=factor, m=middle: some(unroll_peel_strip.unroll(pool, a, loop, f, m))
                yield lambda a, f=factor: some(unroll_peel_strip.strip_mine(pool, a, loop, f))
        ends = {u: None for o in loops for u in (*o.lowers, *o.uppers)}
        for middle in ends:
            if middle not in loop.lowers and middle not in loop.uppers:
                yield lambda a, m=middle: some(unroll_peel_strip.split(pool, a, loop, m))
        trips = _trips(loop)
        if trips is not None and trips <= MAX_FACTOR and len(theirs) >= len(mine) - 1 + trips * len(loop.body) // 2:
            yield lambda a: some(unroll_peel_strip.unroll_fully(pool, a, loop, trips))
        if len(theirs) > len(mine):
            yield lambda a: some(unroll_peel_strip.peel(pool, a, loop, True))
            yield lambda a: some(unroll_peel_strip.peel(pool, a, loop, False))
            for cut in range(1, len(loop.body)):
                yield lambda a, c=cut: some(fusion_distribution.distribute(pool, a, loop, c))
        yield lambda a: some(fusion_distribution.once(pool, a, loop))
        for inner in coalesce_interchange.band_of(loop)[1:2]:
            yield lambda a, i=inner: some(coalesce_interchange.interchange(pool, a, loop, i))


def _pairs(mine: Block, theirs: Block) -> Iterator[tuple[int, int]]:
    """Statements of both sides that stand against each other: of one kind, from the front and from the back."""
    seen: set[tuple[int, int]] = set()
    for offset in (0, len(theirs) - len(mine)):
        for one, statement in enumerate(mine):
            two = one + offset
            if 0 <= two < len(theirs) and type(statement) is type(theirs[two]) and (one, two) not in seen:
                seen.add((one, two))
                yield one, two


def _trips(loop: Loop) -> int | None:
    """How often a loop with literal bounds runs."""
    step, ends = step_of(loop), (literal(loop.lowers[0]), literal(loop.uppers[0]))
    if step is None or len(loop.lowers) != 1 or len(loop.uppers) != 1:
        return None
    lower, upper = ends
    if not isinstance(lower, int) or not isinstance(upper, int):
        return None
    return max(0, -(-(upper - lower) // step))
