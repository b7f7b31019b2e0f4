"""De-coalescing: `for k = 0 to n*m: B(k floordiv m, k mod m)` is a nest of two loops.

It is the inverse of coalescing. If `m` is a literal, isl proves the order of iterations to be the same. If `m` is a
variable, `n*m` is no affine expression: the theorem is arithmetic and needs `n >= 0` or `m >= 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import INDEX
from hecv.normal.preconditions.positive_divisors import says_positive
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Loop, walk
from hecv.theorems.schedules.block_accesses import operands
from hecv.theorems.schedules.schedule_equality import nonnegative
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, build, substituted, uses
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Obligation, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import instance, plain


def divisors(loop: Loop) -> Iterator[int | Term]:
    """The divisors of the loop's variable in its body: literals, and terms."""
    seen: dict[int | Term, None] = {}
    for root in (t for s in walk(loop.body) for t in operands(s)):
        for term in postorder((root,)):
            if term.op in ("affine.floordiv", "affine.quotient") and term.args[0] is loop.iv:
                seen[_divisor(term)] = None
    yield from seen


def _divisor(term: Term) -> int | Term:
    if term.op == "affine.quotient":
        return term.args[1]
    divisor = term.attr("divisor")
    assert isinstance(divisor, int)
    return divisor


def split_digits(pool: TermPool, around: Surroundings, loop: Loop, by: int | Term) -> Instance | None:
    """De-coalescing: `for k = 0 to n*m: B(k floordiv m, k mod m)` is `for i = 0 to n: for j = 0 to m: B(i, j)`."""
    whole = plain(loop)
    zero, size = pool.integer(0), pool.integer(by) if isinstance(by, int) else by
    if whole is None or whole.type != INDEX or whole.step != 1 or len(loop.uppers) != 1 or loop.lowers != (zero,):
        return None
    if uses(size, around.depth, {}):
        return None
    count = _count(pool, loop.uppers[0], by)
    if count is None:
        return None
    part = Part(_of_digits(pool, around.depth, loop, by, size), (INDEX, INDEX))
    high = quasi_affine.floordiv(pool, loop.iv, size)
    low = quasi_affine.subtract(pool, loop.iv, quasi_affine.multiply(pool, size, high))
    before = For(loop.id, INDEX, loop.lowers, loop.uppers, 1, (Copy(0, (high, low)),))
    digits = Copy(0, (loop.iv, pool.induction(around.depth + 1, INDEX)))
    after = For(loop.id, INDEX, (zero,), (count,), 1, (For(loop.id, INDEX, (zero,), (size,), 1, (digits,)),))
    if isinstance(by, int):
        return instance(pool, "loop-digits", around, (part,), (before,), (after,))
    obligations = (
        Obligation("total-bounds", lambda: quasi_affine.is_proper(size) and quasi_affine.is_proper(count)),
        # Where one is negative and the other is not, neither side runs; where both are, one of them does.
        Obligation("nonnegative", lambda: any(_nonnegative(pool, around, t) for t in (count, size))),
    )
    # Where the inner loop runs, its size is positive.
    within = Part(tuple(s for s in part.block if not says_positive(s, size)), part.types)
    first, second = build(pool, around.depth, (part,), (before,)), build(pool, around.depth, (within,), (after,))
    return Instance("loop-digits", first, second, obligations, Applied("loop-digits", (loop,), by=by))


def _count(pool: TermPool, upper: Term, by: int | Term) -> Term | None:
    """`n` where `upper` is `n * by`."""
    if isinstance(by, int):
        return quasi_affine.floordiv(pool, upper, pool.integer(by))
    if upper.op != "affine.mul" or by not in upper.args:
        return None
    return upper.args[1] if upper.args[0] is by else upper.args[0]


def _of_digits(pool: TermPool, depth: int, loop: Loop, by: int | Term, size: Term) -> Block:
    """The body as a function of both digits, at `depth` and below it."""
    # Inner loops move down by one first, so that the low digit has a depth of its own.
    body = Mover(pool, depth + 1, (), depth + 2).block(loop.body)
    low = pool.induction(depth + 1, INDEX)
    number = quasi_affine.add(pool, quasi_affine.multiply(pool, size, loop.iv), low)

    def leaf(term: Term) -> Term | None:
        if term is loop.iv:
            return number
        divides = term.op in ("affine.floordiv", "affine.quotient") and term.args[0] is loop.iv
        return loop.iv if divides and _divisor(term) == by else None

    # Inner loops keep their own variables: only that of this loop is replaced.
    return substituted(pool, body, leaf)


def _nonnegative(pool: TermPool, around: Surroundings, term: Term) -> bool:
    """Whether isl shows `term >= 0`; of a product, of both factors."""
    if term.op == "affine.mul":
        return all(_nonnegative(pool, around, a) for a in term.args)
    return nonnegative(pool, around, term)
