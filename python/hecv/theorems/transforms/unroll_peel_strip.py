"""Unrolling, splitting, peeling, strip-mining and their inverses: theorems that keep the order of iterations.

Each builds two schedules over one part; the obligations are those of `hecv.theorems.schedules.schedule_equality`. A
parameter that a generator passes in (a factor, a split point, bounds) is a guess: if it is wrong, the obligation
`same-iterations` fails.
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, IndexType
from hecv.program.index import quasi_affine
from hecv.program.tree import Loop
from hecv.theorems.schedules.schedule_equality import compared
from hecv.theorems.schedules.schedule_tree import Copy, For, Part, Schedule, build, plus, step_of
from hecv.theorems.schedules.theorem_instance import Instance, Scheduled, Surroundings

MAX_COPIES = 4096
"""The most copies of a body that a theorem may make."""


def instance(
    pool: TermPool,
    name: str,
    around: Surroundings,
    parts: tuple[Part, ...],
    before: tuple[Schedule, ...],
    after: tuple[Schedule, ...],
    reorders: bool = False,
) -> Instance:
    """The theorem that two schedules are equal, with the statements that they stand for."""
    obligations = compared(pool, around, parts, before, after, reorders)
    sides = (build(pool, around.depth, parts, schedule) for schedule in (before, after))
    return Instance(name, next(sides), next(sides), obligations, Scheduled(parts, before, after, reorders))


def plain(loop: Loop) -> For | None:
    """The loop as a schedule with its body as one part.

    None if no theorem applies to the loop: a parallel one, one that compares unsigned, one whose step is no positive
    literal.
    """
    step = step_of(loop)
    if step is None or loop.unsigned or loop.parallel:
        return None
    return For(loop.id, loop.iv.type, loop.lowers, loop.uppers, step, (Copy(0, (loop.iv,)),))


def one_part(loop: Loop) -> tuple[Part, ...]:
    """The body of a loop as a part."""
    return (Part(loop.body, (loop.iv.type,)),)


def unroll(pool: TermPool, around: Surroundings, loop: Loop, factor: int, middle: Term | None) -> Instance | None:
    """Unrolling: `for lb to ub step s: B(i)` is `for lb to m step k*s: B(i); B(i+s); ...`, with `k` copies, and the
    rest in `for m to ub step s: B(i)`.

    Without `middle` there is no second loop: the factor divides the trip count.
    """
    whole = plain(loop)
    if whole is None or not 2 <= factor <= MAX_COPIES:
        return None
    copies = tuple(Copy(0, (plus(pool, loop.iv, k * whole.step),)) for k in range(factor))
    uppers = loop.uppers if middle is None else (middle,)
    main = For(loop.id, whole.type, loop.lowers, uppers, factor * whole.step, copies)
    rest = () if middle is None else (For(loop.id, whole.type, (middle,), loop.uppers, whole.step, whole.body),)
    return instance(pool, "loop-unroll", around, one_part(loop), (whole,), (main, *rest))


def middle_of(pool: TermPool, loop: Loop, factor: int) -> Term | None:
    """`lb + floor(max(ub - lb, 0) / (k*s)) * (k*s)`: where the rest of a loop unrolled by `factor` begins."""
    step = step_of(loop)
    if step is None or len(loop.lowers) != 1 or len(loop.uppers) != 1 or not isinstance(loop.iv.type, IndexType):
        return None
    lower, size = loop.lowers[0], factor * step
    span = quasi_affine.subtract(pool, loop.uppers[0], lower)
    known = quasi_affine.linear(span)
    if known.terms:
        span = quasi_affine.extremum(pool, "affine.max", (span, pool.integer(0)))
    elif known.constant < 0:
        span = pool.integer(0)
    return quasi_affine.combine(pool, 0, ((lower, 1), (quasi_affine.floordiv(pool, span, pool.integer(size)), size)))


def unroll_fully(pool: TermPool, around: Surroundings, loop: Loop, count: int) -> Instance | None:
    """Full unrolling: a loop of `count` iterations is that many copies of its body, `B(lb); B(lb+s); ...`.

    One copy is a loop that runs once, no copy one that never runs.
    """
    whole = plain(loop)
    if whole is None or not 0 <= count <= MAX_COPIES or len(loop.lowers) != 1:
        return None
    copies = tuple(Copy(0, (plus(pool, loop.lowers[0], k * whole.step),)) for k in range(count))
    name = {0: "loop-zero-trip", 1: "loop-one-trip"}.get(count, "loop-unroll-full")
    return instance(pool, name, around, one_part(loop), (whole,), copies)


def split(pool: TermPool, around: Surroundings, loop: Loop, middle: Term) -> Instance | None:
    """Loop splitting: `for lb to ub: B(i)` is `for lb to m: B(i)`, `for m to ub: B(i)`."""
    whole = plain(loop)
    if whole is None:
        return None
    first = For(loop.id, whole.type, loop.lowers, (middle,), whole.step, whole.body)
    second = For(loop.id, whole.type, (middle,), loop.uppers, whole.step, whole.body)
    return instance(pool, "loop-split", around, one_part(loop), (whole,), (first, second))


def peel(pool: TermPool, around: Surroundings, loop: Loop, front: bool) -> Instance | None:
    """Loop peeling: `for lb to ub: B(i)` is `B(lb)`, `for lb+s to ub: B(i)`; from the back, the last iteration follows
    a loop that ends before it."""
    whole = plain(loop)
    if whole is None or len(loop.lowers) != 1:
        return None
    lower = loop.lowers[0]
    if front:
        rest = For(loop.id, whole.type, (plus(pool, lower, whole.step),), loop.uppers, whole.step, whole.body)
        return instance(pool, "loop-peel", around, one_part(loop), (whole,), (Copy(0, (lower,)), rest))
    if len(loop.uppers) != 1 or not isinstance(whole.type, IndexType):
        return None
    span = quasi_affine.combine(pool, -1, ((loop.uppers[0], 1), (lower, -1)))
    steps = quasi_affine.floordiv(pool, span, pool.integer(whole.step))
    last = quasi_affine.combine(pool, 0, ((lower, 1), (steps, whole.step)))
    head = For(loop.id, whole.type, loop.lowers, (last,), whole.step, whole.body)
    return instance(pool, "loop-peel", around, one_part(loop), (whole,), (head, Copy(0, (last,))))


def join(pool: TermPool, around: Surroundings, first: Loop, second: Loop) -> Instance | None:
    """Joining of split loops: `for a to b: B(i)`, `for c to d: B(i)` is `for a to d: B(i)`.

    Requires: equal bodies.
    """
    one, two = plain(first), plain(second)
    if one is None or two is None or one.step != two.step or one.type != two.type or first.body != second.body:
        return None
    whole = For(first.id, one.type, first.lowers, second.uppers, one.step, one.body)
    return instance(pool, "loop-join", around, one_part(first), (one, two), (whole,))


def bounded(
    pool: TermPool, around: Surroundings, loop: Loop, lowers: tuple[Term, ...], uppers: tuple[Term, ...]
) -> Instance | None:
    """Change of bounds: `for max(lowers) to min(uppers) step s: B(i)` is the same loop with other bounds."""
    whole = plain(loop)
    if whole is None or not lowers or not uppers:
        return None
    other = For(loop.id, whole.type, lowers, uppers, whole.step, whole.body)
    return instance(pool, "loop-bounds", around, one_part(loop), (whole,), (other,))


def strip_mine(pool: TermPool, around: Surroundings, loop: Loop, size: int) -> Instance | None:
    """Strip-mining: `for lb to ub step s: B(i)` is `for t = lb to ub step k*s: for i = t to min(t + k*s, ub) step s:
    B(i)`."""
    whole = plain(loop)
    if whole is None or size < 2 or not isinstance(whole.type, IndexType):
        return None
    outer = loop.iv
    end = quasi_affine.combine(pool, size * whole.step, ((outer, 1),))
    inner = pool.induction(around.depth + 1, INDEX)
    tile = For(loop.id, INDEX, (outer,), tuple(dict.fromkeys((end, *loop.uppers))), whole.step, (Copy(0, (inner,)),))
    tiles = For(loop.id, INDEX, loop.lowers, loop.uppers, size * whole.step, (tile,))
    return instance(pool, "loop-strip-mine", around, one_part(loop), (whole,), (tiles,))


def normalise(pool: TermPool, around: Surroundings, loop: Loop) -> Instance | None:
    """Loop normalisation: `for lb to ub step s: B(i)` is `for k = 0 to ceil((ub - lb) / s): B(lb + s*k)`."""
    whole = plain(loop)
    if whole is None or len(loop.lowers) != 1 or not isinstance(whole.type, IndexType):
        return None
    lower, zero = loop.lowers[0], pool.integer(0)
    if lower is zero and whole.step == 1:
        return None
    by = pool.integer(whole.step)
    uppers = tuple(quasi_affine.ceildiv(pool, quasi_affine.subtract(pool, u, lower), by) for u in loop.uppers)
    value = quasi_affine.combine(pool, 0, ((lower, 1), (loop.iv, whole.step)))
    counted = For(loop.id, INDEX, (zero,), tuple(dict.fromkeys(uppers)), 1, (Copy(0, (value,)),))
    return instance(pool, "loop-normalise", around, one_part(loop), (whole,), (counted,))
