"""Program reduction: fewer loops and statements, each step an instance of a loop theorem.

One pass visits every block, inner ones first, and undoes what compilers do: copies are re-rolled, split loops are
joined, tiles and strips become the original loop, neighbouring loops over the same range are fused. Each attempt is a
guess; only an instance whose obligations hold is applied, and it is entered into the e-graph. Two programs that such
steps bring to one form are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import IndexType
from hecv.egraph.programs.reroll_candidates import find_copies
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Block, If, Loop, MemoryKind, Statement, Store, Touch, While
from hecv.theorems.schedules.schedule_tree import Mover, plus, step_of
from hecv.theorems.schedules.theorem_instance import Branch, Instance, Surroundings
from hecv.theorems.transforms import (
    coalesce_interchange,
    fusion_distribution,
    loop_decoalescing,
    loop_marks,
    scalar_stores,
    unroll_and_jam,
    unroll_peel_strip,
)

Known = tuple[Loop | Branch, ...]


class Standing(Struct, frozen=True):
    """The place of an instance: inside so many loops, before the `rest` of its block.

    `program` rebuilds the program with other statements there, if it is known. If the equality is one of the programs
    only, the place is `inside`.
    """

    depth: int
    rest: Block
    program: Callable[[Block], Block] | None = None
    inside: bool = False


class Ledger(Protocol):
    """Records instances of theorems in the e-graph of one goal."""

    def same(self, left: Block, right: Block) -> bool:
        """Whether both are the same block."""
        ...

    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        ...

    def apply(self, instance: Instance, place: Standing) -> bool:
        """Enters the equality if its obligations hold; returns whether they do."""
        ...


SCALARS = frozenset({"trips", "forward", "last", "idle"})
"""Attempts that do not change loops and copies."""


class Reducer:
    """Reduces one program; with `only`, by the attempts named there."""

    def __init__(
        self, pool: TermPool, ledger: Ledger, assumptions: tuple[Term, ...], only: frozenset[str] | None = None
    ) -> None:
        self._pool = pool
        self._ledger = ledger
        self._assumptions = assumptions
        self._only = only
        # By the identity of the statements, which are kept so that no others take it: to hash long blocks takes longer.
        self._refused: dict[tuple[object, ...], Block] = {}

    def program(self, block: Block) -> Block:
        """The program after one pass."""
        return self._block(block, 0, (), lambda b: b)

    def _block(self, block: Block, depth: int, known: Known, whole: Callable[[Block], Block]) -> Block:
        at = 0
        while at < len(block):
            before, after = block[:at], block[at + 1 :]
            statement = self._inside(block[at], depth, known, lambda s, b=before, a=after: whole((*b, s, *a)))
            block = (*before, statement, *after)
            at += 1
        while not self._ledger.exhausted():
            smaller = self._smaller(block, depth, known, whole)
            if smaller is None:
                break
            block = self._within(smaller, frozenset(map(id, block)), depth, known, whole)
        return block

    def _within(
        self, block: Block, old: frozenset[int], depth: int, known: Known, whole: Callable[[Block], Block]
    ) -> Block:
        """The block with what a step made reduced inside, too: the body of a merged loop may have copies again."""
        for at, made in enumerate(block):
            if id(made) not in old:
                before, after = block[:at], block[at + 1 :]
                inner = self._inside(made, depth, known, lambda s, b=before, a=after: whole((*b, s, *a)))
                block = (*before, inner, *after)
        return block

    def _inside(self, statement: Statement, depth: int, known: Known, whole: Callable[[Statement], Block]) -> Statement:
        match statement:
            case Loop(body=body):
                inner = self._block(body, depth + 1, (*known, statement), lambda b: whole(replace(statement, body=b)))
                return replace(statement, body=inner)
            case If(then=then, otherwise=otherwise):
                yes, no = (Branch(statement.condition, holds) for holds in (True, False))
                facts = () if statement.exact else (yes,), () if statement.exact else (no,)
                then = self._block(then, depth, (*known, *facts[0]), lambda b: whole(replace(statement, then=b)))
                made = replace(statement, then=then)
                otherwise = self._block(
                    otherwise, depth, (*known, *facts[1]), lambda b: whole(replace(made, otherwise=b))
                )
                return replace(made, otherwise=otherwise)
            case While(after=after):
                # What `before` allocates the condition and `after` still read: its end is not the end of its cells.
                return replace(
                    statement, after=self._block(after, depth, known, lambda b: whole(replace(statement, after=b)))
                )
            case _:
                return statement

    def _smaller(self, block: Block, depth: int, known: Known, whole: Callable[[Block], Block]) -> Block | None:
        """The block after the first step that makes it smaller, None where there is none."""
        for place, count, attempt in self._attempts(block, depth, known):
            if self._only is not None and attempt[0] not in self._only:
                continue
            piece = block[place : place + count]
            key = (attempt[0], depth, *map(id, piece))
            if key in self._refused:
                continue
            for around in self._surroundings(depth, known):
                for instance in attempt[1](around):
                    after = self._applied(instance, block, place, count, around, whole)
                    if after is not None:
                        return after
            self._refused[key] = piece
        return None

    def _surroundings(self, depth: int, known: Known) -> Iterator[Surroundings]:
        """For all values of the enclosing variables; and, where there are such, for those that they take."""
        yield Surroundings(depth, (), self._assumptions)
        if known:
            yield Surroundings(depth, known, self._assumptions)

    def _applied(
        self,
        instance: Instance,
        block: Block,
        place: int,
        count: int,
        around: Surroundings,
        whole: Callable[[Block], Block],
    ) -> Block | None:
        """The block with the smaller side of the instance in place of the larger, where that is what stands there."""
        there = block[place : place + count]
        if self._ledger.same(there, instance.before):
            new = instance.after
        elif self._ledger.same(there, instance.after):
            new = instance.before
        else:
            return None
        rest, first = block[place + count :], block[:place]
        stands = Standing(around.depth, rest, lambda b: whole((*first, *b)), bool(around.known))
        return (*first, *new, *rest) if self._ledger.apply(instance, stands) else None

    def _attempts(
        self, block: Block, depth: int, known: Known
    ) -> Iterator[tuple[int, int, tuple[str, Callable[[Surroundings], Iterator[Instance]]]]]:
        """What may be tried: a place, how many statements there, a name, and the instances."""
        for place, statement in enumerate(block):
            if isinstance(statement, Touch):
                yield place, 1, ("idle", lambda a, s=statement: some(scalar_stores.idle(s)))
            if not isinstance(statement, Loop):
                continue
            if statement.parallel or statement.unsigned:
                yield place, 1, ("marks", lambda a, s=statement: self._unmarked(a, s))
                continue
            trips = few_trips(statement)
            if trips is not None:
                yield (
                    place,
                    1,
                    (
                        "trips",
                        lambda a, s=statement, t=trips: some(unroll_peel_strip.unroll_fully(self._pool, a, s, t)),
                    ),
                )
            if len(statement.lowers) + len(statement.uppers) > 2:
                yield place, 1, ("bounds", lambda a, s=statement: self._fewer_bounds(a, s))
            yield place, 1, ("digits", lambda a, s=statement: self._digits(a, s))
            yield place, 1, ("coalesce", lambda a, s=statement: self._coalesced(a, s))
            yield place, 1, ("unjam", lambda a, s=statement: unroll_and_jam.unjam(self._pool, a, s))
            if place + 1 < len(block) and isinstance(following := block[place + 1], Loop):
                yield (
                    place,
                    2,
                    ("join", lambda a, s=statement, f=following: some(unroll_peel_strip.join(self._pool, a, s, f))),
                )
            yield from self._absorbed(block, place, statement, depth)
        rolled = find_copies(self._pool, block, depth)
        if rolled is not None:
            count, loop = rolled.period * rolled.count, rolled.loop
            copies = rolled.count
            yield (
                rolled.start,
                count,
                ("roll", lambda a: some(unroll_peel_strip.unroll_fully(self._pool, a, loop, copies))),
            )
        for start, end in _overwritten(block):
            piece = block[start : end + 1]
            yield start, len(piece), ("forward", lambda a, p=piece: some(scalar_stores.forward(self._pool, p)))
        for start, at in _last_stores(block):
            piece = block[start:]
            yield start, len(piece), ("last", lambda a, p=piece, k=at: some(scalar_stores.last(self._pool, p, k)))
        for place, (one, two) in enumerate(pairwise(block)):
            if (
                isinstance(one, Loop)
                and isinstance(two, Loop)
                and _alike(one, two)
                and self._fit(one, two, depth, known)
            ):
                yield place, 2, ("fuse", lambda a, s=one, f=two: some(fusion_distribution.fuse(self._pool, a, s, f)))

    def _fit(self, one: Loop, two: Loop, depth: int, known: Known) -> bool:
        """Whether two loops have one header, and run both over copies that a jam left, or neither does: such a loop is
        part of a larger pattern."""
        if not _alike(one, two):
            return False
        outer = [k for k in known if isinstance(k, Loop)]
        copies = ([unroll_and_jam.is_copies(self._pool, loop, o, depth) for o in outer] for loop in (one, two))
        return next(copies) == next(copies)

    def _coalesced(self, around: Surroundings, loop: Loop) -> Iterator[Instance]:
        band = coalesce_interchange.band_of(loop)
        for first in range(len(band)):
            if first:
                # A band inside this one has been tried where it stands.
                break
            for second in range(1, len(band)):
                yield from coalesce_interchange.coalesce(self._pool, around, band, first, second)

    def _unmarked(self, around: Surroundings, loop: Loop) -> Iterator[Instance]:
        """The loop as a sequential one, or as one that compares signed numbers."""
        yield from some(loop_marks.sequential(self._pool, around, loop))
        yield from some(loop_marks.signed(self._pool, around, loop))

    def _fewer_bounds(self, around: Surroundings, loop: Loop) -> Iterator[Instance]:
        """The loop without one of its bounds: a tile that is always whole, or never."""
        for bound in loop.lowers if len(loop.lowers) > 1 else ():
            fewer = tuple(b for b in loop.lowers if b is not bound)
            yield from some(unroll_peel_strip.bounded(self._pool, around, loop, fewer, loop.uppers))
        for bound in loop.uppers if len(loop.uppers) > 1 else ():
            fewer = tuple(b for b in loop.uppers if b is not bound)
            yield from some(unroll_peel_strip.bounded(self._pool, around, loop, loop.lowers, fewer))

    def _digits(self, around: Surroundings, loop: Loop) -> Iterator[Instance]:
        for by in loop_decoalescing.divisors(loop):
            yield from some(loop_decoalescing.split_digits(self._pool, around, loop, by))

    def _absorbed(
        self, block: Block, place: int, loop: Loop, depth: int
    ) -> Iterator[tuple[int, int, tuple[str, Callable[[Surroundings], Iterator[Instance]]]]]:
        """Copies of the body next to the loop that are its last or its first iterations."""
        step, size = step_of(loop), len(loop.body)
        if step is None or len(loop.uppers) != 1 or len(loop.lowers) != 1 or not size:
            return
        upper, lower = loop.uppers[0], loop.lowers[0]
        after, start = block[place + 1 : place + 1 + size], max(0, place - size)
        if len(after) == size and self._ledger.same(after, self._copy(loop, depth, upper)):
            longer = replace(loop, uppers=(plus(self._pool, upper, step),))
            yield place, 1 + size, ("unpeel", lambda a: some(unroll_peel_strip.peel(self._pool, a, longer, False)))
        earlier = plus(self._pool, lower, -step)
        if place - start == size and self._ledger.same(block[start:place], self._copy(loop, depth, earlier)):
            longer = replace(loop, lowers=(earlier,))
            yield start, 1 + size, ("unpeel", lambda a, s=longer: some(unroll_peel_strip.peel(self._pool, a, s, True)))

    def _copy(self, loop: Loop, depth: int, value: Term) -> Block:
        return Mover(self._pool, depth, (value,), depth).block(loop.body)


def some(instance: Instance | None) -> Iterator[Instance]:
    """The instance, if there is one."""
    if instance is not None:
        yield instance


def few_trips(loop: Loop) -> int | None:
    """An upper bound of 0 or 1 on the trip count, if the bounds of the loop show it."""
    step = step_of(loop)
    if step is None or len(loop.lowers) != 1:
        return None
    for upper in loop.uppers:
        if isinstance(loop.iv.type, IndexType):
            span = quasi_affine.linear(quasi_affine.subtract(TermPool(), upper, loop.lowers[0]))
            known = None if span.terms else span.constant
        else:
            ends = literal(upper), literal(loop.lowers[0])
            known = int(ends[0]) - int(ends[1]) if ends[0] is not None and ends[1] is not None else None
        if known is not None and known <= step:
            return 1 if known > 0 else 0
    return None


def _overwritten(block: Block) -> Iterator[tuple[int, int]]:
    """Pairs of stores to one memory of rank 0 without one in between."""
    last: dict[int, int] = {}
    for place, statement in enumerate(block):
        if isinstance(statement, Store) and not statement.indices:
            if statement.memory.id in last:
                yield last[statement.memory.id], place
            last[statement.memory.id] = place


def _last_stores(block: Block) -> Iterator[tuple[int, int]]:
    """Allocations of cells, with the place after each of the last store to it in the block."""
    for start, statement in enumerate(block):
        if isinstance(statement, Alloc) and statement.memory.kind is MemoryKind.CELL:
            stores = [k for k in range(start + 1, len(block)) if _stores(block[k], statement.memory.id)]
            if stores:
                yield start, stores[-1] - start


def _stores(statement: Statement, memory: int) -> bool:
    return isinstance(statement, Store) and statement.memory.id == memory


def _alike(first: Loop, second: Loop) -> bool:
    """Whether two loops have the same header."""
    return (first.lowers, first.uppers, first.step, first.iv) == (second.lowers, second.uppers, second.step, second.iv)


def normalised(pool: TermPool, ledger: Ledger, block: Block, assumptions: tuple[Term, ...], depth: int = 0) -> Block:
    """The block with every loop normalised to count from 0 by 1, as far as the theorem applies; steps are recorded."""
    out: list[Statement] = []
    for place in range(len(block) - 1, -1, -1):
        statement = block[place]
        rest = tuple(reversed(out))
        if isinstance(statement, Loop):
            instance = unroll_peel_strip.normalise(pool, Surroundings(depth, (), assumptions), statement)
            if instance is not None and ledger.apply(instance, Standing(depth, rest)):
                (statement,) = instance.after
        match statement:
            case Loop(body=body):
                statement = replace(statement, body=normalised(pool, ledger, body, assumptions, depth + 1))
            case If(then=then, otherwise=otherwise):
                branches = (normalised(pool, ledger, b, assumptions, depth) for b in (then, otherwise))
                statement = replace(statement, then=next(branches), otherwise=next(branches))
            case _:
                pass
        out.append(statement)
    return tuple(reversed(out))
