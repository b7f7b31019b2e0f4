"""Loops that were cut in pieces as one loop: the theorems `loop-strip-mine` and `loop-join`.

`for t = a to b step T: for i = t to min(t + T, b) step s: B(i)` is `for i = a to b step s: B(i)` where `s` divides `T`:
the same iterations in the same order. So is the form in which the inner loop counts from 0 and the body sees `t + i`.
Each level of strips is a dimension less for isl.

`for i = a to m: B(i)`, `for i = m to b: B(i)` is `for i = a to b: B(i)` where `a <= m <= b`: what unrolling leaves and
its clean-up loop, once the copies are a loop again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX
from hecv.graph import affine
from hecv.graph.identity import anonymous
from hecv.graph.ranges import NOTHING, Facts
from hecv.graph.rewriting import rewrite
from hecv.graph.text import roots
from hecv.graph.tree import Assert, Block, If, Loop, Statement, While, walk

MOST_FACTS = 24


def join_strips(pool: TermPool, block: Block, depth: int = 0) -> Block:
    """The block, which `depth` loops enclose, with loops over strips and in a strip made one.

    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    return tuple([_statement(pool, s, depth) for s in block])


def _statement(pool: TermPool, statement: Statement, depth: int) -> Statement:
    match statement:
        case Loop():
            loop = replace(statement, body=join_strips(pool, statement.body, depth + 1))
            return _joined(pool, loop, depth) or loop
        case If():
            then, otherwise = (join_strips(pool, b, depth) for b in (statement.then, statement.otherwise))
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = (join_strips(pool, b, depth) for b in (statement.before, statement.after))
            return replace(statement, before=before, after=after)
        case _:
            return statement


def _joined(pool: TermPool, outer: Loop, depth: int) -> Loop | None:
    """The loop over all strips at once, None where `outer` is no loop over strips."""
    if len(outer.body) != 1 or not isinstance(inner := outer.body[0], Loop):
        return None
    if not all(_is_plain(loop) for loop in (outer, inner)):
        return None
    size, step = literal(outer.step), literal(inner.step)
    if not isinstance(size, int) or not isinstance(step, int) or not 0 < step <= size or size % step:
        return None
    ends, start = set(affine.ends(pool, "affine.min", outer.uppers)), outer.lowers[0]
    # The inner variable as a place in the whole: `t` where a strip begins.
    shift = affine.subtract(pool, outer.iv, inner.lowers[0])
    own = {affine.add(pool, end, shift) for end in affine.ends(pool, "affine.min", inner.uppers)}
    strip = affine.combine(pool, size, ((outer.iv, 1),))
    if strip not in own or not own - {strip} <= ends:
        return None
    if not all(_is_multiple(affine.subtract(pool, end, start), size) for end in ends - own):
        return None
    body = _over_whole(pool, inner, affine.subtract(pool, inner.iv, shift), depth)
    return None if body is None else replace(outer, step=inner.step, body=body)


def _is_plain(loop: Loop) -> bool:
    """Whether the loop runs in order over `index` from one bound, and its bounds are total."""
    one = loop.iv.type == INDEX and len(loop.lowers) == 1 and not loop.unsigned and not loop.parallel
    return one and all(affine.is_proper(t) for t in (*loop.lowers, *loop.uppers))


def _is_multiple(span: Term, size: int) -> bool:
    """Whether a number shows that it is a multiple of `size`: a strip that begins before it ends within it."""
    form = affine.linear(span)
    return form.constant % size == 0 and all(factor % size == 0 for _, factor in form.terms)


def _over_whole(pool: TermPool, inner: Loop, value: Term, depth: int) -> Block | None:
    """The body where the inner variable is `value`, a function of the place in the whole, which is named by the inner
    variable; one loop further out. None where it still sees where the strip begins."""
    placed = _changed(pool, inner.body, lambda iv: value if iv is inner.iv else iv)
    strip = pool.induction(depth, INDEX)
    if any(t is strip for s in walk(placed) for t in postorder(_terms(s))):
        return None
    return _changed(pool, placed, lambda iv: _outwards(pool, iv, depth))


def _outwards(pool: TermPool, iv: Term, depth: int) -> Term:
    """The variable of a loop that moves out by one where it is within the strips."""
    own = iv.attr("depth")
    assert isinstance(own, int)
    return iv if own <= depth else pool.induction(own - 1, iv.type)


def _terms(statement: Statement) -> tuple[Term, ...]:
    exact = statement.exact if isinstance(statement, If | Assert) else ()
    return (*roots(statement), *exact)


def _changed(pool: TermPool, block: Block, change: Callable[[Term], Term]) -> Block:
    """The block with its variables replaced; index arithmetic comes out canonical."""
    memo: dict[int, Term] = {}

    def term(root: Term) -> Term:
        for node in postorder((root,)):
            if node.id not in memo:
                args = tuple(memo[a.id] for a in node.args)
                memo[node.id] = change(node) if node.op == "iv" else affine.remade(pool, node, args)
        return memo[root.id]

    return rewrite(block, term)


def join_loops(pool: TermPool, block: Block, facts: Facts = NOTHING) -> Block:
    """The block with neighbours that run one body over adjoining ranges made one loop.

    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    out: list[Statement] = []
    for statement in block:
        made = _within(pool, statement, facts)
        whole = _continued(pool, out[-1], made, facts) if out else None
        if whole is not None:
            out[-1] = whole
        else:
            out.append(made)
    return tuple(out)


def _within(pool: TermPool, statement: Statement, facts: Facts) -> Statement:
    match statement:
        case Loop():
            return replace(statement, body=join_loops(pool, statement.body, _running(pool, statement, facts)))
        case If():
            then, otherwise = (join_loops(pool, b, facts) for b in (statement.then, statement.otherwise))
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = (join_loops(pool, b, facts) for b in (statement.before, statement.after))
            return replace(statement, before=before, after=after)
        case _:
            return statement


def _running(pool: TermPool, loop: Loop, facts: Facts) -> Facts:
    """What is known in the body of a loop: its variable is in its range, which is not empty."""
    if loop.iv.type != INDEX or loop.unsigned or len(facts.known) >= MOST_FACTS:
        return facts
    bounds = [t for t in (*loop.lowers, *loop.uppers) if affine.is_proper(t)]
    lowers = [affine.subtract(pool, loop.iv, t) for t in loop.lowers if t in bounds]
    uppers = [affine.combine(pool, -1, ((t, 1), (loop.iv, -1))) for t in loop.uppers if t in bounds]
    ranges = [affine.add(pool, low, up) for low in lowers for up in uppers]
    return facts.with_known(pool, *lowers, *uppers, *ranges)


def _continued(pool: TermPool, first: Statement, second: Statement, facts: Facts) -> Loop | None:
    """Both as one loop, None where they are no neighbours in one range."""
    if not isinstance(first, Loop) or not isinstance(second, Loop) or first.iv is not second.iv:
        return None
    if not (_is_plain(first) and _is_plain(second)) or first.step is not second.step:
        return None
    (start,), (middle,), step = first.lowers, second.lowers, literal(first.step)
    if first.uppers != (middle,) or not isinstance(step, int) or step <= 0:
        return None
    span = affine.subtract(pool, middle, start)
    if not _is_multiple(span, step) or not facts.nonnegative(pool, span):
        return None
    if not all(facts.nonnegative(pool, affine.subtract(pool, end, middle)) for end in second.uppers):
        return None
    if anonymous(first.body) != anonymous(second.body):
        return None
    return replace(first, uppers=second.uppers, fits=first.fits and second.fits)
