"""Dead store elimination for cells, by liveness."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import literal
from hecv.program.read_write_sets import number, without_dead_cells
from hecv.program.tree import Alloc, Block, Call, If, Load, Loop, Statement, Store, While, is_of_cell


def without_dead_stores(block: Block) -> Block:
    """The block without stores to cells that are overwritten before a read, or not read again; and without cells that
    are not read."""
    while True:
        smaller = without_dead_cells(_tidy(_lively(without_dead_cells(block), frozenset())[0]))
        if smaller == block:
            return block
        block = smaller


def _tidy(block: Block) -> Block:
    """The block without branches that do nothing and are followed by another on the same condition."""
    out: list[Statement] = []
    for place, statement in enumerate(block):
        match statement:
            case If() if _branches_again(statement, block[place + 1 :]):
                continue
            case If():
                then, otherwise = _tidy(statement.then), _tidy(statement.otherwise)
                out.append(replace(statement, then=then, otherwise=otherwise))
            case Loop():
                out.append(replace(statement, body=_tidy(statement.body)))
            case While():
                out.append(replace(statement, before=_tidy(statement.before), after=_tidy(statement.after)))
            case _:
                out.append(statement)
    return tuple(out)


def _branches_again(branch: If, rest: Block) -> bool:
    """True if a branch does nothing, and what follows branches on its conditions too, with only loads and stores in
    between."""
    other = next((s for s in rest if not isinstance(s, Load | Store)), None)
    if not isinstance(other, If) or other.condition is not branch.condition:
        return False
    sides = (branch.then, other.then), (branch.otherwise, other.otherwise)
    return all(not own or (isinstance(own[0], If) and len(own) == 1 and _branches_again(own[0], o)) for own, o in sides)


class _Ending(Struct, frozen=True):
    """The cell `more` that decides at the end of a block whether a loop goes on, and the cells that are live if it does
    (`again`) and if it does not (`out`)."""

    more: int
    again: frozenset[int]
    out: frozenset[int]

    def behind(self, last: Statement) -> frozenset[int] | None:
        """The live cells after a store of a literal to `more`; None for any other statement."""
        if not isinstance(last, Store) or last.memory.id != self.more:
            return None
        value = literal(last.value)
        return None if value is None else (self.again if value else self.out) | {self.more}


def _lively(block: Block, live: frozenset[int], ending: _Ending | None = None) -> tuple[Block, frozenset[int]]:
    """The block without dead stores, if the cells `live` are live after it, and the cells that are live before it. The
    block may end with the store that decides on another iteration."""
    out: list[Statement] = []
    for statement in reversed(block):
        last, ending = ending, None
        match statement:
            case Store(memory=memory) if is_of_cell(statement):
                behind = last.behind(statement) if last is not None else None
                live = live if behind is None else behind
                if memory.id not in live:
                    continue
                live -= {memory.id}
            case Load(memory=memory) if is_of_cell(statement):
                live |= {memory.id}
                ending = last if last is not None and memory.id == last.more else None
            case Alloc(memory=memory):
                live -= {memory.id}
            case If():
                then, one = _lively(statement.then, live, last)
                otherwise, other = _lively(statement.otherwise, live, last)
                statement, live = replace(statement, then=then, otherwise=otherwise), one | other
            case Loop():
                statement, live = _lively_loop(statement, live)
            case While():
                statement, live = _lively_while(statement, live)
            case Call():
                live = live - {m.id for m in statement.results} | {m.id for m in statement.memories}
            case _:
                pass
        out.append(statement)
    return tuple(reversed(out)), live


def _lively_while(loop: While, live: frozenset[int]) -> tuple[While, frozenset[int]]:
    head = frozenset[int]()
    last = loop.before[-1] if loop.before else None
    decides = not loop.after and isinstance(last, Load) and loop.condition.op == "read"
    more = last.memory.id if decides and isinstance(last, Load) and number(loop.condition, "load") == last.id else None
    while True:
        after, again = _lively(loop.after, head)
        ending = None if more is None else _Ending(more, again, live)
        before, found = _lively(loop.before, again | live, ending)
        if found <= head:
            return replace(loop, before=before, after=after), head
        head |= found


def _lively_loop(loop: Loop, live: frozenset[int]) -> tuple[Loop, frozenset[int]]:
    while True:
        body, found = _lively(loop.body, live)
        if found <= live:
            return replace(loop, body=body), live
        live |= found
