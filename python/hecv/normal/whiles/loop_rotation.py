"""Loop rotation: a `While` that branches on its own condition is cut at that branch.

The theorem. Let `before` be `first; if c { holds } else { fails }; always`, with `c` the condition of the loop. Then

    while { first; if c { holds } else { fails }; always } condition c do { after }

is

    while { first } condition c do { holds; always; after }; fails; always

Both do the same in the same order, iteration by iteration. What `fails; always` reads of `first`, it reads from cells.
"""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.program.block_cloning import Copies, is_cell, replaced
from hecv.program.index.selector_folding import negated
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import rewrite
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Statement,
    Store,
    While,
    roots,
    walk,
)

MOST_COPIED = 400
"""Statements of `before` that may be copied to after the loop, at most."""


class Turn(Struct, frozen=True):
    """One iteration of a `While`: `before` up to the branch on the condition, and what is done where it holds, where it
    fails, and in both cases."""

    before: Block
    condition: Term
    holds: Block
    fails: Block
    always: Block
    after: Block

    @property
    def branches(self) -> bool:
        """True if there is a branch on the condition."""
        return bool(self.holds or self.fails or self.always)


def turn_of(pool: TermPool, before: Block, condition: Term, after: Block) -> Turn:
    """`before` cut at a branch on the condition, if there is one."""
    opposite = negated(pool, condition)
    for place, statement in enumerate(before):
        if isinstance(statement, If) and statement.condition in (condition, opposite):
            holds, fails = statement.then, statement.otherwise
            if statement.condition is opposite:
                holds, fails = fails, holds
            return Turn(before[:place], condition, holds, fails, before[place + 1 :], after)
    return Turn(before, condition, (), (), (), after)


def settled(pool: TermPool, condition: Term, holds: bool) -> dict[Term, Term]:
    """The condition without its negations, and the literal that it then is."""
    while condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        condition, holds = condition.args[0], not holds
    return {condition: pool.integer(int(holds), condition.type)} if condition.op != "const" else {}


def may_stand_twice(block: Block) -> bool:
    """True if a block may be copied: it is short, and allocates nothing but cells."""
    plain = all(isinstance(s, Load | Store | If | Evaluate | Assert) or is_cell(s) for s in walk(block))
    return plain and sum(1 for _ in walk(block)) <= MOST_COPIED


def may_be_copied(block: Block) -> bool:
    """True if a block that may fill and copy vectors may be copied: it is short, loops in it allocate nothing, and its
    allocations have literal extents."""
    for statement in walk(block):
        if isinstance(statement, Loop):
            if statement.parallel or any(isinstance(s, Alloc) for s in walk(statement.body)):
                return False
        elif isinstance(statement, Alloc):
            if any(literal(extent) is None for extent in statement.memory.extents):
                return False
        elif not isinstance(statement, Load | Store | If | Evaluate | Assert):
            return False
    return sum(1 for _ in walk(block)) <= MOST_COPIED


def without_branch(pool: TermPool, copies: Copies, loop: While, turn: Turn) -> tuple[Block, Block] | None:
    """The loop without the branch, with the cells it needs, and what is done after it; None if `always` may not be
    copied, or if the rest needs what `first` allocates and uses."""
    rest = (*turn.fails, *turn.always)
    moved = _brought_along(turn.before, rest)
    if moved is None or not may_stand_twice(turn.always):
        return None
    held = _held(turn.before, rest)
    cells = [copies.cell("left", load.memory.element) for load in held]
    reads = [pool.read(load.id, load.memory.element) for load in held]
    again = [Load(copies.fresh(), cell, ()) for cell in cells]
    true, false = (settled(pool, turn.condition, holds) for holds in (True, False))
    always = rewrite(turn.always, lambda term: replaced(pool, term, true))
    after = _forwarded(pool, (*moved, *turn.holds, *always, *turn.after))
    whole = While(
        loop.id,
        (
            *(s for s in turn.before if s not in moved),
            *(Store(copies.fresh(), cell, (), read) for cell, read in zip(cells, reads, strict=True)),
        ),
        turn.condition,
        after,
    )
    given = {read: pool.read(load.id, load.memory.element) for read, load in zip(reads, again, strict=True)}
    left = _forwarded(pool, copies.of((*moved, *rest), {**false, **given}))
    return (*(Alloc(copies.fresh(), cell) for cell in cells), whole), (*again, *left)


def _brought_along(first: Block, rest: Block) -> Block | None:
    """The cells of `first` that only `rest` uses; None if `rest` uses other memory of `first`."""
    inside, needed = _touched(first), _touched(rest)
    own = tuple([s for s in first if isinstance(s, Alloc) and s.memory.id in needed])
    return None if any(s.memory.id in inside or not is_cell(s) for s in own) else own


def _touched(block: Block) -> set[int]:
    """The memories that a block uses."""
    found = {s.memory.id for s in walk(block) if isinstance(s, Load | Store | Dealloc)}
    return found | {m.id for s in walk(block) if isinstance(s, Call) for m in (*s.memories, *s.results)}


def _held(first: Block, rest: Block) -> list[Load]:
    """The loads of `first` whose values `rest` uses."""
    used = {number(t, "load") for t in postorder(tuple([r for s in walk(rest) for r in roots(s)])) if t.op == "read"}
    return [s for s in first if isinstance(s, Load) and s.id in used]


def _forwarded(pool: TermPool, block: Block) -> Block:
    """Store-to-load forwarding for the cells that the block allocates and uses only at its top level."""
    own = {s.memory.id for s in block if is_cell(s) and isinstance(s, Alloc)}
    nested = _touched(tuple([inner for s in block for inner in walk((s,)) if inner is not s]))
    held: dict[int, Term] = {}
    given: dict[Term, Term] = {}
    out: list[Statement] = []
    for statement in block:
        (changed,) = rewrite((statement,), lambda term: replaced(pool, term, given))
        out.append(changed)
        match changed:
            case Store(memory=cell, value=value) if cell.id in own - nested:
                held[cell.id] = value
            case Load(memory=cell) if cell.id in held:
                given[pool.read(changed.id, cell.element)] = held[cell.id]
            case _:
                pass
    return tuple(out)
