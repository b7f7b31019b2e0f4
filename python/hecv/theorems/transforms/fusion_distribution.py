"""Fusion, distribution, statement swap, and repeated idempotent loops: theorems that change the order of statements."""

from __future__ import annotations

from hecv.base.term import TermPool, postorder
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Block, Call, Dealloc, Loop, While, walk
from hecv.theorems.schedules.block_accesses import changed, operands, sees
from hecv.theorems.schedules.schedule_equality import Comparison
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, plus
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Obligation, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import instance, one_part, plain


def fuse(pool: TermPool, around: Surroundings, first: Loop, second: Loop) -> Instance | None:
    """Loop fusion: `for i: S(i)`, `for i: T(i)` is `for i: S(i); T(i)`, if no dependence is reversed."""
    one, two = plain(first), plain(second)
    if one is None or two is None or one.type != two.type:
        return None
    parts = (*one_part(first), *one_part(second))
    copies = (Copy(0, (first.iv,)), Copy(1, (first.iv,)))
    other = For(two.id, two.type, two.lowers, two.uppers, two.step, (Copy(1, (first.iv,)),))
    both = For(one.id, one.type, one.lowers, one.uppers, one.step, copies)
    return instance(pool, "loop-fuse", around, parts, (one, other), (both,), True)


def distribute(pool: TermPool, around: Surroundings, loop: Loop, at: int) -> Instance | None:
    """Loop distribution: `for i: S(i); T(i)` is `for i: S(i)`, `for i: T(i)`, if no dependence is reversed; `at` is
    where `T` begins."""
    whole = plain(loop)
    if whole is None or not 0 < at < len(loop.body):
        return None
    parts = tuple(Part(block, (loop.iv.type,)) for block in (loop.body[:at], loop.body[at:]))
    loops = tuple(
        For(loop.id, whole.type, whole.lowers, whole.uppers, whole.step, (Copy(k, (loop.iv,)),)) for k in (0, 1)
    )
    both = For(loop.id, whole.type, whole.lowers, whole.uppers, whole.step, (Copy(0, (loop.iv,)), Copy(1, (loop.iv,))))
    return instance(pool, "loop-distribute", around, parts, (both,), loops, True)


def swap(pool: TermPool, around: Surroundings, first: Block, second: Block) -> Instance:
    """Statement swap: `S; T` is `T; S`, if neither writes what the other accesses."""
    parts = (Part(first, ()), Part(second, ()))
    return instance(pool, "swap", around, parts, (Copy(0, ()), Copy(1, ())), (Copy(1, ()), Copy(0, ())), True)


def once(pool: TermPool, around: Surroundings, loop: Loop) -> Instance | None:
    """An idempotent loop: `for i: S` is `S`, if `S` does not use `i`, the loop runs at least once, and `S` is
    idempotent.

    `S` is idempotent if it reads no memory that it writes, and allocates and deallocates nothing. The loop must not
    step out of its type: that is undefined, and `S` is not.
    """
    whole = plain(loop)
    if whole is None:
        return None
    lower = loop.lowers[0]
    rest = For(whole.id, whole.type, (plus(pool, lower, whole.step),), whole.uppers, whole.step, whole.body)
    try:
        found = Comparison(pool, around, one_part(loop), (whole,), (Copy(0, (lower,)), rest), False)
    except NotAffine:
        return None
    bounds = (*loop.lowers, *loop.uppers)
    obligations = (
        *found.obligations(),  # that the first iteration can be peeled says that there is one
        found.no_wraps(),
        Obligation("total-bounds", lambda: all(map(quasi_affine.is_proper, bounds))),
        Obligation("invariant", lambda: not sees(loop.body, around.depth)),
        Obligation("idempotent", lambda: _idempotent(loop.body)),
    )
    after = Mover(pool, around.depth, (lower,), around.depth).block(loop.body)
    return Instance("loop-once", (loop,), after, obligations, Applied("loop-once", (loop,)))


def _idempotent(block: Block) -> bool:
    """Whether the block reads no memory that it writes, and no memory's life begins or ends in it."""
    if any(isinstance(s, Call | While | Alloc | Dealloc) for s in walk(block)):
        return False
    loads = {t.attr("memory") for s in walk(block) for t in postorder(operands(s)) if t.op == "load"}
    return not loads & changed(block)
