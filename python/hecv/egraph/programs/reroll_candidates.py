"""Re-rolling candidates: copies of a body in a block, and the loop that they may be.

They are guesses: `hecv.theorems.transforms.unroll_peel_strip.unroll_fully` makes the copies again, and they must be the
statements that were there.
"""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import TermPool
from hecv.base.types import INDEX
from hecv.normal.loops.rerolling import Writer
from hecv.normal.loops.unrolled_copies import MAX_CANDIDATES, MAX_PERIOD, Progression, coherent
from hecv.program.skeletons import Shape, Skeletons
from hecv.program.tree import Assert, Block, Call, Loop, While, walk


class Rolled(Struct, frozen=True):
    """A re-rolling: `count` copies of `period` statements from `start` as one loop."""

    start: int
    period: int
    count: int
    loop: Loop


def find_copies(pool: TermPool, block: Block, depth: int) -> Rolled | None:
    """The copies that cover most of the block; None if there are none."""
    if len(block) < 2 or any(isinstance(s, Call | While | Assert) for s in walk(block)):
        return None
    skeletons = Skeletons()
    shapes = [skeletons.statement(s) for s in block]
    places: dict[int, list[int]] = {}
    for place, shape in enumerate(shapes):
        places.setdefault(shape.skeleton, []).append(place)
    best: Progression | None = None
    at = 0
    while at < len(shapes):
        found = _best_at(shapes, at, places)
        if found is not None and (best is None or _covers(found) > _covers(best)):
            best = found
        at += max(1, (found.count - 1) * found.period) if found is not None and found.count > 2 else 1
    return (
        None
        if best is None
        else Rolled(best.start, best.period, best.count, _loop(pool, skeletons, block, best, depth))
    )


def _covers(found: Progression) -> tuple[int, int]:
    return found.count * found.period, found.count


def _best_at(shapes: list[Shape], at: int, places: dict[int, list[int]]) -> Progression | None:
    later = [p for p in places[shapes[at].skeleton] if at < p <= at + MAX_PERIOD][:MAX_CANDIDATES]
    found = [p for p in (_progression(shapes, at, place - at) for place in later) if p is not None]
    return max(found, key=_covers, default=None)


def _progression(shapes: list[Shape], at: int, period: int) -> Progression | None:
    if at + 2 * period > len(shapes):
        return None
    first, second = shapes[at : at + period], shapes[at + period : at + 2 * period]
    if any(a.skeleton != b.skeleton or a.memories != b.memories for a, b in zip(first, second, strict=True)):
        return None
    deltas = tuple(_moves(a, b) for a, b in zip(first, second, strict=True))
    count = 2
    while at + (count + 1) * period <= len(shapes):
        copy = shapes[at + count * period : at + (count + 1) * period]
        if not all(_continues(a, c, d, count) for a, c, d in zip(first, copy, deltas, strict=True)):
            break
        count += 1
    return Progression(at, period, count, deltas) if count > 2 or coherent(first, deltas) else None


def _moves(first: Shape, second: Shape) -> tuple[int, ...]:
    return tuple(y - x for x, y in zip(first.holes, second.holes, strict=True))


def _continues(first: Shape, copy: Shape, deltas: tuple[int, ...], count: int) -> bool:
    if first.skeleton != copy.skeleton or first.memories != copy.memories:
        return False
    return all(y == x + count * d for x, y, d in zip(first.holes, copy.holes, deltas, strict=True))


def _loop(pool: TermPool, skeletons: Skeletons, block: Block, found: Progression, depth: int) -> Loop:
    body = tuple(
        Writer(pool, skeletons, depth, deltas).statement(block[found.start + offset])
        for offset, deltas in enumerate(found.deltas)
    )
    zero, one, count = pool.integer(0), pool.integer(1), pool.integer(found.count)
    return Loop(0, pool.induction(depth, INDEX), (zero,), (count,), one, False, body)
