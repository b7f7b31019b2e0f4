"""Functions that are in bounds on every input, as literal loop bounds and extents show: they may be compiled and run
before anything is proved of them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IndexType
from hecv.program.tree import Alloc, Block, Evaluate, Function, If, Load, Loop, Memory, MemoryKind, Store
from hecv.run.evaluation.index_intervals import interval, natural_interval

LIMIT: Final = 1 << 31
"""Half the numbers of an `index`, which has 32 bits at least."""


class _Interval(Struct, frozen=True):
    low: int
    high: int


Known = dict[Term, _Interval]


def stays_in_bounds(function: Function) -> bool:
    """True if each access is in bounds, whatever the arguments are, and of memory of the caller.

    Its ops may still be undefined (`hecv.run.interpreter.outcome_analysis.has_one_outcome`).
    """
    return not function.overlapping and not function.callees and _block(function.body, {})


def _block(block: Block, given: Known) -> bool:
    """Whether a block stays in bounds, where the variables of its loops are in `given` intervals."""
    known = dict(given)
    for statement in block:
        match statement:
            case Load(memory=memory, indices=indices) | Store(memory=memory, indices=indices):
                if memory.kind is MemoryKind.LOCAL or not _within(memory, indices, known):
                    return False
            case Loop(parallel=False):
                counted = _counted(statement, known)
                if counted is None or not _block(statement.body, {**given, statement.iv: counted}):
                    return False
            case If(then=then, otherwise=otherwise):
                if not _block(then, given) or not _block(otherwise, given):
                    return False
            case Evaluate():
                pass
            case Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                pass
            case _:
                return False
    return True


def _within(memory: Memory, indices: tuple[Term, ...], known: Known) -> bool:
    for index, extent in zip(indices, memory.extents, strict=True):
        size, found = literal(extent), _of(index, known)
        if not isinstance(size, int) or not 0 <= found.low <= found.high < size:
            return False
    return True


def _counted(loop: Loop, known: Known) -> _Interval | None:
    """The values of the variable of a loop; None if its step or its type is another one."""
    step = literal(loop.step)
    if not isinstance(loop.iv.type, IndexType) or loop.unsigned or not isinstance(step, int) or step < 1:
        return None
    lowers, uppers = ([_of(t, known) for t in terms] for terms in (loop.lowers, loop.uppers))
    low, high = max(b.low for b in lowers), min(b.high for b in uppers) - 1
    if all(b.low == b.high for b in lowers):
        high -= (high - low) % step
    return _Interval(low, max(low, high)) if high + step < LIMIT else None


def _of(term: Term, known: Known) -> _Interval:
    """The least and the greatest value of an index; all that its type has, if nothing is known."""
    for node in postorder((term,)) if term not in known else ():
        if node in known:
            continue
        value = literal(node)
        if isinstance(value, int):
            known[node] = _Interval(value, value)
        elif node.args:
            known[node] = _Interval(*interval(node, [known[a] for a in node.args], LIMIT))
        else:
            known[node] = _Interval(*natural_interval(node.type, LIMIT))
    return known[term]
