"""Loop coalescing and interchange: theorems about perfect nests, where a loop is all of the body of the loop around it.

Interchange may reorder iterations; then the obligation `in-order` asks that no dependence is reversed.
"""

from __future__ import annotations

from collections.abc import Iterator

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, IndexType
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Loop, walk
from hecv.theorems.schedules.block_accesses import operands, sees
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, Schedule, step_of, substitute, uses
from hecv.theorems.schedules.theorem_instance import Instance, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import instance, plain

DEEPEST = 8


def band_of(loop: Loop) -> tuple[Loop, ...]:
    """The perfect nest at a loop: the loop and those inside it that are all of the body around them."""
    loops = [loop]
    while len(loops) < DEEPEST and len(loops[-1].body) == 1 and isinstance(inner := loops[-1].body[0], Loop):
        loops.append(inner)
    return tuple(loops)


def nested(band: tuple[For, ...], body: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
    """The loops of the band nested, the last one around `body`."""
    for loop in reversed(band):
        body = (For(loop.id, loop.type, loop.lowers, loop.uppers, loop.step, body),)
    return body


def coalesce(
    pool: TermPool, around: Surroundings, band: tuple[Loop, ...], first: int, second: int
) -> Iterator[Instance]:
    """Loop coalescing: two loops of a band whose body uses only one value of both variables are one loop over that
    value.

    `for t = a to b step T: for i = t to min(t+T, b): B(i)` is `for i = a to b: B(i)` (a tile, or a strip), and `for i =
    a to b step k: for q = 0 to k: B(i+q)` is `for x = a to b: B(x)` (an unrolled loop, re-rolled), also with loops
    between them. Several bounds for the new loop are guessed.
    """
    loops = [plain(loop) for loop in band]
    whole = [loop for loop in loops if loop is not None]
    if len(whole) != len(loops) or not all(isinstance(loop.type, IndexType) for loop in whole):
        return
    found = _one_value(pool, around.depth, band, first, second)
    if found is None:
        return
    (a, b), body = found
    ivs = [loop.iv for loop in band]
    value = quasi_affine.combine(pool, 0, ((ivs[first], a), (ivs[second], b)))
    values = (*ivs[:first], value, *ivs[first + 1 : second], *ivs[second + 1 :])
    parts = (Part(body, (INDEX,) * len(values)),)
    for lowers, uppers, step in _bounds(pool, around.depth, band, first, second, (a, b)):
        after = _without(pool, around.depth, whole, first, second, lowers, uppers, step)
        if after is not None:
            copy = Copy(0, tuple(pool.induction(around.depth + k, INDEX) for k in range(len(values))))
            before = nested(tuple(whole), (Copy(0, values),))
            reorders = second != first + 1
            yield instance(pool, "loop-coalesce", around, parts, before, nested(after, (copy,)), reorders)


def _without(
    pool: TermPool,
    depth: int,
    band: list[For],
    first: int,
    second: int,
    lowers: tuple[Term, ...],
    uppers: tuple[Term, ...],
    step: int,
) -> tuple[For, ...] | None:
    """The band with the merged loop in the place of the first, and without the second; None where a bound of another
    loop depends on either."""
    out: list[For] = []
    for place, loop in enumerate(band):
        if place == second:
            continue
        bounds = (lowers, uppers) if place == first else (loop.lowers, loop.uppers)
        if place != first and any(uses(t, depth + k, {}) for t in (*bounds[0], *bounds[1]) for k in (first, second)):
            return None
        if place > second:
            # The loops below the second move up by one.
            mover = Mover(pool, depth + second, (pool.integer(0),), depth + second)
            bounds = tuple(map(mover.term, bounds[0])), tuple(map(mover.term, bounds[1]))
        out.append(For(loop.id, INDEX, *bounds, step if place == first else loop.step, ()))
    return tuple(out)


def _one_value(
    pool: TermPool, depth: int, band: tuple[Loop, ...], first: int, second: int
) -> tuple[tuple[int, int], Block] | None:
    """Factors `(a, b)` such that the innermost body sees `a*i + b*q` only, and the body as a function of that value."""
    body, last = band[-1].body, depth + len(band) - 1
    for a, b in _factors(body, band[first].iv, band[second].iv):
        value, hidden = pool.induction(depth + first, INDEX), pool.induction(last, INDEX)
        one = quasi_affine.combine(pool, 0, ((value, 1), (hidden, -b if a == 1 else -a)))
        pair = (one, hidden) if a == 1 else (hidden, one)
        values = [pool.induction(depth + k - (k > second), INDEX) for k in range(len(band))]
        values[first], values[second] = pair
        # One loop deeper than it will stand, so that what has to vanish has a depth of its own.
        moved = Mover(pool, depth, tuple(values), last + 1).block(body)
        if not sees(moved, last):
            return (a, b), Mover(pool, last, (pool.integer(0),), last).block(moved)
    return None


def _factors(block: Block, first: Term, second: Term) -> Iterator[tuple[int, int]]:
    """Guesses of `(a, b)`, one of them 1: only the second variable is seen, or the factors of the first sum of both."""
    depth = first.attr("depth")
    assert isinstance(depth, int)
    if not sees(block, depth):
        yield 0, 1
        return
    seen: set[int] = set()
    for statement in walk(block):
        stack = list(operands(statement))
        while stack:
            term = stack.pop()
            if term.id in seen:
                continue
            seen.add(term.id)
            stack.extend(term.args)
            terms = dict(quasi_affine.linear(term).terms) if isinstance(term.type, IndexType) else {}
            a, b = terms.get(first, 0), terms.get(second, 0)
            if a and b and (a % b == 0 or b % a == 0):
                yield (1, b // a) if b % a == 0 else (a // b, 1)
                return


def _bounds(
    pool: TermPool, depth: int, band: tuple[Loop, ...], first: int, second: int, factors: tuple[int, int]
) -> Iterator[tuple[tuple[Term, ...], tuple[Term, ...], int]]:
    """Guesses of lower and upper bounds and step of a loop over `a*i + b*q`."""
    outer, inner, (a, b) = band[first], band[second], factors
    own = depth + first
    steps = step_of(outer), step_of(inner)
    if steps[0] is None or steps[1] is None or len(inner.lowers) != 1:
        return

    def at(start: Term, bound: Term) -> Term:
        leaf = {pool.induction(own, INDEX): start}.get
        return quasi_affine.combine(pool, 0, ((start, a), (substitute(pool, bound, leaf, {}), b)))

    lowers = tuple(dict.fromkeys(at(low, inner.lowers[0]) for low in outer.lowers))
    # One more than the value of the last inner iteration, where the outer variable cancels.
    last = (quasi_affine.combine(pool, 1 - b, ((outer.iv, a), (u, b))) for u in inner.uppers)
    free = tuple(u for u in last if not uses(u, own, {}))
    ends = tuple(quasi_affine.combine(pool, 0, ((at(up, inner.lowers[0]), 1),)) for up in outer.uppers)
    step = b * steps[1]
    if step <= 0:
        return
    for uppers in dict.fromkeys((free, ends, tuple(dict.fromkeys((*free, *ends))))):
        if uppers and lowers:
            yield lowers, uppers, step


def interchange(pool: TermPool, around: Surroundings, outer: Loop, inner: Loop) -> Instance | None:
    """Loop interchange: `for i: for j: B(i, j)` is `for j: for i: B(i, j)`, if no dependence is reversed.

    Requires: `inner` is all of the body of `outer`, and its bounds do not depend on the outer variable.
    """
    one, two = plain(outer), plain(inner)
    if one is None or two is None or any(uses(t, around.depth, {}) for t in (*inner.lowers, *inner.uppers)):
        return None
    first = pool.induction(around.depth, two.type)
    second = pool.induction(around.depth + 1, one.type)
    part = Part(inner.body, (one.type, two.type))
    raised = Mover(pool, around.depth, (pool.integer(0),), around.depth)
    lowered = Mover(pool, around.depth, (), around.depth + 1)
    outside = For(
        two.id, two.type, tuple(map(raised.term, two.lowers)), tuple(map(raised.term, two.uppers)), two.step, ()
    )
    inside = For(
        one.id, one.type, tuple(map(lowered.term, one.lowers)), tuple(map(lowered.term, one.uppers)), one.step, ()
    )
    before = nested((one, two), (Copy(0, (outer.iv, inner.iv)),))
    after = nested((outside, inside), (Copy(0, (second, first)),))
    return instance(pool, "loop-interchange", around, (part,), before, after, True)
