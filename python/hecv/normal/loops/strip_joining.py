"""Joins split loops: the inverse of strip-mining and index set splitting (theorems `loop-strip-mine`, `loop-join`).

    for t = a to b step T { for i = t to min(t + T, b) step s { B(i) } }   =>   for i = a to b step s { B(i) }

if `s` divides `T`: the same iterations in the same order. The inner loop may also count from 0, with `t + i` in the
body. Each level of strips costs isl a dimension.

    for i = a to m { B(i) }; for i = m to b { B(i) }   =>   for i = a to b { B(i) }

if `a <= m <= b` and `m` is reached by whole steps: an unrolled loop and its clean-up loop, once the copies are a loop
again. The second may count from another number: `for i = 0 to n { B(i + m) }`; if it runs once, it is `B(m)`.
"""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX
from hecv.program.index import quasi_affine
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.path_conditions import where
from hecv.program.structural_equality import anonymous
from hecv.program.term_substitution import recounted
from hecv.program.tree import Assert, Block, If, Loop, Statement, While, enclosed, roots, walk

MOST_FACTS = 24
"""Facts known at a place, at most."""


MOST_ROUNDS = 3
"""Rounds of joining, at most."""


def join_split_loops(pool: TermPool, block: Block, facts: Facts) -> Block:
    """Joins strips and neighbours, in rounds: a joined loop may be a strip or a neighbour itself.

    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    for _ in range(MOST_ROUNDS):
        joined = join_adjacent_loops(pool, undo_strip_mining(pool, block, facts), facts)
        if joined == block:
            break
        block = joined
    return block


def undo_strip_mining(pool: TermPool, block: Block, facts: Facts = NOTHING, depth: int = 0) -> Block:
    """Joins a loop over strips and the loop within a strip, in a block that `depth` loops enclose.

    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    if not any(isinstance(s, Loop) and _holds_a_loop(s) for s in walk(block)):
        return block
    out: list[Statement] = []
    for statement in block:
        out.append(_statement(pool, statement, facts, depth))
        if isinstance(statement, Assert):
            facts = where(pool, statement.condition, True, facts)
    return tuple(out)


def _holds_a_loop(loop: Loop) -> bool:
    """True if the body of a loop is one loop and nothing else."""
    return len(loop.body) == 1 and isinstance(loop.body[0], Loop)


def _statement(pool: TermPool, statement: Statement, facts: Facts, depth: int) -> Statement:
    match statement:
        case Loop():
            running = _running(pool, statement, facts)
            loop = replace(statement, body=undo_strip_mining(pool, statement.body, running, depth + 1))
            return joined_strips(pool, loop, facts, running, depth) or loop
        case If():
            holds, fails = (where(pool, statement.condition, side, facts) for side in (True, False))
            then = undo_strip_mining(pool, statement.then, holds, depth)
            return replace(statement, then=then, otherwise=undo_strip_mining(pool, statement.otherwise, fails, depth))
        case While():
            before, after = (undo_strip_mining(pool, b, facts, depth) for b in (statement.before, statement.after))
            return replace(statement, before=before, after=after)
        case _:
            return statement


def joined_strips(pool: TermPool, outer: Loop, facts: Facts, running: Facts, depth: int) -> Loop | None:
    """The loop over all strips at once; None if `outer` is no loop over strips.

    `facts` hold where the loop stands, `running` in its body. The step is checked with `facts` alone: one that is not
    positive is undefined also where there is no strip. The bound `t + T` may be missing if another upper bound of the
    strip is shown to be no greater.
    """
    if len(outer.body) != 1 or not isinstance(inner := outer.body[0], Loop):
        return None
    if not all(_is_plain(loop) for loop in (outer, inner)):
        return None
    if not _strides(pool, outer.step, inner.step, facts):
        return None
    ends, start = set(quasi_affine.ends(pool, "affine.min", outer.uppers)), outer.lowers[0]
    # The inner variable as a position in the whole range: `t` where a strip begins.
    shift = quasi_affine.subtract(pool, outer.iv, inner.lowers[0])
    own = {quasi_affine.add(pool, end, shift) for end in quasi_affine.ends(pool, "affine.min", inner.uppers)}
    strip, size = quasi_affine.add(pool, outer.iv, outer.step), literal(outer.step)
    if not own - {strip} <= ends:
        return None
    if strip not in own and not any(running.nonnegative(pool, quasi_affine.subtract(pool, strip, end)) for end in own):
        return None
    # A strip that begins before a multiple of its size ends within it.
    if not all(_is_stepped_to(quasi_affine.subtract(pool, end, start), size) for end in ends - own):
        return None
    body = _over_whole(pool, inner, quasi_affine.subtract(pool, inner.iv, shift), depth)
    return None if body is None else replace(outer, step=inner.step, body=body)


def _strides(pool: TermPool, size: Term, step: Term, facts: Facts) -> bool:
    """True if `size` is a whole number of positive steps. A symbolic size must be positive, with a step of 1."""
    whole, part = literal(size), literal(step)
    if isinstance(whole, int):
        return isinstance(part, int) and 0 < part <= whole and whole % part == 0
    positive = facts.nonnegative(pool, quasi_affine.combine(pool, -1, ((size, 1),)))
    return part == 1 and size.type == INDEX and quasi_affine.is_proper(size) and positive


def _is_stepped_to(distance: Term, size: object) -> bool:
    return isinstance(size, int) and quasi_affine.is_multiple(distance, size)


def _is_plain(loop: Loop) -> bool:
    """True if the loop runs in order over `index` from one lower bound, and its bounds are total."""
    one = loop.iv.type == INDEX and len(loop.lowers) == 1 and not loop.unsigned and not loop.parallel
    return one and all(quasi_affine.is_proper(t) for t in (*loop.lowers, *loop.uppers))


def _over_whole(pool: TermPool, inner: Loop, value: Term, depth: int) -> Block | None:
    """The body where the inner variable is `value`, a function of the position in the whole range, which the inner
    variable names; one loop further out. None if the body still uses the start of the strip."""
    placed = recounted(pool, inner.body, lambda iv: value if iv is inner.iv else iv)
    strip = pool.induction(depth, INDEX)
    if any(t is strip for s in walk(placed) for t in postorder(_terms(s))):
        return None
    return recounted(pool, placed, lambda iv: outwards(pool, iv, depth))


def outwards(pool: TermPool, iv: Term, depth: int) -> Term:
    """The variable of a loop inside the strips moves out by one level; any other stays."""
    own = iv.attr("depth")
    assert isinstance(own, int)
    return iv if own <= depth else pool.induction(own - 1, iv.type)


def _terms(statement: Statement) -> tuple[Term, ...]:
    exact = statement.exact if isinstance(statement, If | Assert) else ()
    return (*roots(statement), *exact)


def join_adjacent_loops(pool: TermPool, block: Block, facts: Facts = NOTHING) -> Block:
    """Joins neighbours that run one body over adjoining ranges.

    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    if not _may_adjoin(block):
        return block
    inner = [_within(pool, s, facts) for s in block]
    out: list[Statement] = []
    place = 0
    while place < len(inner):
        whole, taken = _continued(pool, out[-1], inner[place], facts) if out else None, 1
        if whole is None and out:
            whole, taken = _and_once(pool, out[-1], inner, place, facts)
        if whole is not None:
            out[-1] = whole
        else:
            out.append(inner[place])
        place += taken
    return tuple(out)


def _may_adjoin(block: Block) -> bool:
    """True if in the block, or in one within, a loop precedes a statement that may be more of its iterations, by its
    kind."""
    for before, after in pairwise(block):
        if isinstance(before, Loop) and (isinstance(after, Loop) or _begins(before, after)):
            return True
    return any(_may_adjoin(inner) for statement in block for inner in enclosed(statement))


def _begins(loop: Loop, statement: Statement) -> bool:
    """True if the body of a loop begins with a statement of that kind."""
    return bool(loop.body) and type(loop.body[0]) is type(statement)


def _within(pool: TermPool, statement: Statement, facts: Facts) -> Statement:
    match statement:
        case Loop():
            return replace(statement, body=join_adjacent_loops(pool, statement.body, _running(pool, statement, facts)))
        case If():
            then, otherwise = (join_adjacent_loops(pool, b, facts) for b in (statement.then, statement.otherwise))
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = (join_adjacent_loops(pool, b, facts) for b in (statement.before, statement.after))
            return replace(statement, before=before, after=after)
        case _:
            return statement


def _running(pool: TermPool, loop: Loop, facts: Facts) -> Facts:
    """The facts in the body of a loop: its variable is in its range, which is not empty."""
    if loop.iv.type != INDEX or loop.unsigned or len(facts.known) >= MOST_FACTS:
        return facts
    bounds = [t for t in (*loop.lowers, *loop.uppers) if quasi_affine.is_proper(t)]
    lowers = [quasi_affine.subtract(pool, loop.iv, t) for t in loop.lowers if t in bounds]
    uppers = [quasi_affine.combine(pool, -1, ((t, 1), (loop.iv, -1))) for t in loop.uppers if t in bounds]
    ranges = [quasi_affine.add(pool, low, up) for low in lowers for up in uppers]
    return facts.with_known(pool, *lowers, *uppers, *ranges)


def _continued(pool: TermPool, first: Statement, second: Statement, facts: Facts) -> Loop | None:
    """Both loops as one; None if they are no neighbours in one range."""
    if not isinstance(first, Loop) or not isinstance(second, Loop) or first.iv is not second.iv:
        return None
    if not (_is_plain(first) and _is_plain(second)) or first.step is not second.step:
        return None
    if not _alike(first.body, second.body) or not _is_whole(pool, first, facts):
        return None
    (middle,) = first.uppers
    moved = _moved(pool, second, quasi_affine.subtract(pool, middle, second.lowers[0]))
    if moved is None:
        return None
    if not all(facts.nonnegative(pool, quasi_affine.subtract(pool, end, middle)) for end in moved.uppers):
        return None
    if anonymous(first.body) != anonymous(moved.body):
        return None
    return replace(first, uppers=moved.uppers, fits=first.fits and moved.fits)


def _alike(first: Block, second: Block) -> bool:
    """True if two blocks have statements of the same kinds: a cheap test."""
    return len(first) == len(second) and all(type(a) is type(b) for a, b in zip(first, second, strict=True))


def _is_whole(pool: TermPool, loop: Loop, facts: Facts) -> bool:
    """True if a loop has one upper bound and reaches it: its last iteration is one step before it."""
    step = literal(loop.step)
    if len(loop.uppers) != 1 or not isinstance(step, int) or step <= 0:
        return False
    span = quasi_affine.subtract(pool, loop.uppers[0], loop.lowers[0])
    return quasi_affine.is_multiple(span, step) and facts.nonnegative(pool, span)


def _moved(pool: TermPool, loop: Loop, distance: Term) -> Loop | None:
    """The loop counted from a number that is `distance` away; None if that is no literal."""
    by = literal(distance)
    if not isinstance(by, int):
        return None
    if not by:
        return loop

    def move(term: Term) -> Term:
        return quasi_affine.combine(pool, by, ((term, 1),))

    start = quasi_affine.combine(pool, -by, ((loop.iv, 1),))
    body = recounted(pool, loop.body, lambda iv: start if iv is loop.iv else iv)
    lowers, uppers = tuple(map(move, loop.lowers)), tuple(map(move, loop.uppers))
    return replace(loop, lowers=lowers, uppers=uppers, body=body, fits=False)


def _and_once(
    pool: TermPool, loop: Statement, block: list[Statement], place: int, facts: Facts
) -> tuple[Loop | None, int]:
    """The loop with one iteration more, if that stands at `place` in the block, and the number of statements of
    that."""
    if not isinstance(loop, Loop) or not _is_plain(loop) or not _is_whole(pool, loop, facts):
        return None, 1
    after = tuple(block[place : place + len(loop.body)])
    if not after or not _alike(loop.body, after):
        return None, 1
    (end,), depth = loop.uppers, loop.iv.attr("depth")
    assert isinstance(depth, int)
    last = recounted(pool, loop.body, lambda iv: end if iv is loop.iv else outwards(pool, iv, depth))
    if anonymous(last) != anonymous(after):
        return None, 1
    return replace(loop, uppers=(quasi_affine.add(pool, end, loop.step),), fits=False), len(after)


def count_from_zero(pool: TermPool, block: Block) -> Block:
    """Loop normalisation (theorem `loop-normalise`, but for steps): loops in order with one lower bound count from 0.
    What is assumed of bounds is dropped."""
    return tuple([_from_zero(pool, s) for s in block])


def _from_zero(pool: TermPool, statement: Statement) -> Statement:
    match statement:
        case Loop(lowers=(lower, *_)) if _is_plain(statement):
            value = quasi_affine.add(pool, statement.iv, lower)
            body = recounted(pool, statement.body, lambda iv: value if iv is statement.iv else iv)
            uppers = tuple([quasi_affine.subtract(pool, end, lower) for end in statement.uppers])
            made = replace(statement, lowers=(pool.integer(0),), uppers=uppers, fits=False)
            return replace(made, body=count_from_zero(pool, body))
        case Loop(body=body):
            return replace(statement, body=count_from_zero(pool, body))
        case If():
            then, otherwise = (count_from_zero(pool, b) for b in (statement.then, statement.otherwise))
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = (count_from_zero(pool, b) for b in (statement.before, statement.after))
            return replace(statement, before=before, after=after)
        case _:
            return statement
