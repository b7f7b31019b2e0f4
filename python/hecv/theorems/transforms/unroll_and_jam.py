"""Unroll-and-jam of a nest, perfect or not: iterations of the outer loop side by side in every block of it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, IndexType
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Loop, Statement, walk
from hecv.theorems.schedules.block_accesses import sees
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, Schedule, depth_of, step_of
from hecv.theorems.schedules.theorem_instance import Instance, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import MAX_COPIES, instance, plain


class Leaf(Struct, frozen=True):
    """Statements of a nest that are jammed together."""

    block: Block


class Level(Struct, frozen=True):
    """A loop of a nest that the jammed iterations share."""

    loop: Loop
    items: tuple[Leaf | Level, ...]


Nest = tuple[Leaf | Level, ...]


def jam(pool: TermPool, around: Surroundings, loop: Loop, factor: int, middle: Term | None) -> Instance | None:
    """Unroll-and-jam: `k` iterations of the outer loop side by side in every block of the nest.

    `for i = lb to ub step s: N(B1(i), B2(i), ..)`, where `N` is a nest of loops over blocks, is `for i = lb to m step
    k*s: N(for p = 0 to k: B1(i + s*p), for p = 0 to k: B2(i + s*p), ..)`, and the rest in `for i = m to ub step s:
    N(B1(i), B2(i), ..)`, if no dependence is reversed.

    The small loops stand for `k` copies of a block. Without `middle` there is no rest: the factor divides the trip
    count.
    """
    return _jammed(pool, around, loop, _cut(loop.body), factor, middle)


def unjam(pool: TermPool, around: Surroundings, loop: Loop) -> Iterator[Instance]:
    """Unroll-and-jam undone: the theorems of which `loop` is the jammed side, without a rest; each block of it is a
    loop over copies."""
    step = step_of(loop)
    for factor in _factors(loop.body) if step is not None else ():
        if step is None or step % factor:
            continue
        source = replace(loop, step=pool.integer(step // factor))
        items = _uncut(pool, loop.body, source, factor, around.depth + 1)
        found = None if items is None else _jammed(pool, around, source, items, factor, None)
        if found is not None:
            yield found


def is_copies(pool: TermPool, loop: Loop, outer: Loop, depth: int) -> bool:
    """Whether the loop, inside `depth` others, runs over copies of one iteration of `outer` each, as jamming leaves
    them."""
    step, factor = step_of(outer), _copies(loop)
    if step is None or factor is None or step % factor or not isinstance(outer.iv.type, IndexType):
        return False
    return _single(pool, loop, replace(outer, step=pool.integer(step // factor)), factor, depth) is not None


def _factors(block: Block) -> tuple[int, ...]:
    """How many copies the loops below may run over, the greatest number first."""
    counts = (_copies(s) for s in walk(block) if isinstance(s, Loop))
    return tuple(sorted({c for c in counts if c is not None}, reverse=True))


def _jammed(
    pool: TermPool, around: Surroundings, loop: Loop, items: Nest, factor: int, middle: Term | None
) -> Instance | None:
    whole = plain(loop)
    if whole is None or not isinstance(whole.type, IndexType) or not 2 <= factor <= MAX_COPIES or not items:
        return None
    parts: list[Part] = []
    body = _schedule(pool, items, (loop.iv,), parts)
    if body is None:
        return None
    whole = replace(whole, body=body)
    inside = tuple(_spread(pool, item, loop.iv, whole.step, factor) for item in body)
    uppers = loop.uppers if middle is None else (middle,)
    main = For(loop.id, INDEX, loop.lowers, uppers, factor * whole.step, inside)
    rest = () if middle is None else (replace(whole, lowers=(middle,)),)
    return instance(pool, "loop-jam", around, tuple(parts), (whole,), (main, *rest), True)


def _schedule(pool: TermPool, items: Nest, ivs: tuple[Term, ...], parts: list[Part]) -> tuple[Schedule, ...] | None:
    """The nest under loops over `ivs`, in its own order; its blocks go to `parts`."""
    out: list[Schedule] = []
    for item in items:
        match item:
            case Leaf(block=block):
                out.append(Copy(len(parts), ivs))
                parts.append(Part(block, tuple(iv.type for iv in ivs)))
            case Level(loop=loop, items=inner):
                head, body = plain(loop), _schedule(pool, inner, (*ivs, loop.iv), parts)
                if head is None or body is None:
                    return None
                out.append(replace(head, body=body))
    return tuple(out)


def _spread(pool: TermPool, item: Schedule, iv: Term, step: int, factor: int) -> Schedule:
    """The item with a loop over `factor` iterations of `iv` around each copy."""
    if isinstance(item, For):
        return replace(item, body=tuple(_spread(pool, inner, iv, step, factor) for inner in item.body))
    small = pool.induction(depth_of(iv) + len(item.values), INDEX)
    values = (quasi_affine.combine(pool, 0, ((iv, 1), (small, step))), *item.values[1:])
    return For(0, INDEX, (pool.integer(0),), (pool.integer(factor),), 1, (Copy(item.part, values),))


def _cut(block: Block) -> Nest:
    """The block as a nest: its loops are shared, what stands between them is jammed as one."""
    items: list[Leaf | Level] = []
    between: list[Statement] = []
    for statement in block:
        if isinstance(statement, Loop) and plain(statement) is not None:
            items += [Leaf(tuple(between))] if between else []
            items.append(Level(statement, _cut(statement.body)))
            between = []
        else:
            between.append(statement)
    return (*items, Leaf(tuple(between))) if between else tuple(items)


def _uncut(pool: TermPool, block: Block, source: Loop, factor: int, depth: int) -> Nest | None:
    """The nest of which the block, below `depth` loops, has loops over copies; None where something stands outside of
    them."""
    items: list[Leaf | Level] = []
    for statement in block:
        if not isinstance(statement, Loop):
            return None
        single = _single(pool, statement, source, factor, depth)
        inner = None if single is not None else _uncut(pool, statement.body, source, factor, depth + 1)
        if single is not None:
            items.append(Leaf(single))
        elif inner is not None:
            items.append(Level(statement, inner))
        else:
            return None
    return tuple(items)


def _single(pool: TermPool, loop: Loop, source: Loop, factor: int, depth: int) -> Block | None:
    """`B` where the loop is `for p = 0 to k: B(i + s*p)`, `i` and `s` being variable and step of the source."""
    step, own = step_of(source), depth_of(source.iv)
    if step is None or _copies(loop) != factor:
        return None
    first = quasi_affine.combine(pool, 0, ((source.iv, 1), (loop.iv, -step)))
    block = Mover(pool, own, (first,), own + 1).block(loop.body)
    return None if sees(block, depth) else Mover(pool, depth, (pool.integer(0),), depth).block(block)


def _copies(loop: Loop) -> int | None:
    """`k` of `for p = 0 to k`."""
    if len(loop.lowers) != 1 or len(loop.uppers) != 1 or literal(loop.lowers[0]) != 0 or step_of(loop) != 1:
        return None
    count = literal(loop.uppers[0])
    return count if isinstance(count, int) and isinstance(loop.iv.type, IndexType) and count >= 2 else None
