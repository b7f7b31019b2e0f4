"""Statement alignment of two swept programs: the same statements over merged terms.

`Evaluate` statements may differ: an operator that the target evaluates has to be total, as its operands show, or
evaluated by the source in the same block or an enclosing one. Loads are identified by their order
(`hecv.program.load_numbering`).
"""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.term import Term
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    Statement,
    Store,
    Touch,
    While,
)

Change = Callable[[Term], Term]
Traps = frozenset[int]


class Alignment:
    """Compares two programs statement by statement, with terms replaced by representatives.

    `place` gives the representative of a term, `rebuilt` its root over the representatives of its operands, and `total`
    whether the root of such a term is defined.
    """

    def __init__(self, place: Change, rebuilt: Change, total: Callable[[Term], bool]) -> None:
        self._place = place
        self._rebuilt = rebuilt
        self._total = total
        self.covered = True
        """Whether the source evaluates what may be undefined in the target."""
        self.converse = True
        """Whether the target evaluates what may be undefined in the source."""

    def same(self, source: Function, target: Function) -> bool:
        """Whether both do the same, statement by statement, and the target is undefined only where the source is."""
        if len(source.results) != len(target.results) or not _same_globals(source, target):
            return False
        return self._blocks(source.body, target.body, (frozenset(), frozenset())) and self.covered

    def _blocks(self, left: Block, right: Block, around: tuple[Traps, Traps]) -> bool:
        traps = self._traps(left), self._traps(right)
        inside = around[0] | traps[0], around[1] | traps[1]
        self.covered &= traps[1] <= inside[0]
        self.converse &= traps[0] <= inside[1]
        first, second = ([s for s in block if not isinstance(s, Evaluate)] for block in (left, right))
        if len(first) != len(second):
            return False
        return all(self._statements(a, b, inside) for a, b in zip(first, second, strict=True))

    def _traps(self, block: Block) -> Traps:
        """The operators that a block evaluates and that may be undefined."""
        terms = [self._rebuilt(s.term) for s in block if isinstance(s, Evaluate)]
        return frozenset(t.id for t in terms if not self._total(t))

    def _terms(self, left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
        if len(left) != len(right):
            return False
        return all(self._place(a) is self._place(b) for a, b in zip(left, right, strict=True))

    def _memories(self, left: Memory, right: Memory) -> bool:
        same = (left.id, left.kind, left.element) == (right.id, right.kind, right.element)
        return same and self._terms(left.extents, right.extents)

    def _statements(self, left: Statement, right: Statement, inside: tuple[Traps, Traps]) -> bool:
        match left, right:
            case (Load(), Load()):
                same = left.id == right.id and self._memories(left.memory, right.memory)
                return same and self._terms(left.indices, right.indices)
            case (Store(), Store()):
                same = left.guarded == right.guarded and self._memories(left.memory, right.memory)
                return same and self._terms((*left.indices, left.value), (*right.indices, right.value))
            case (Alloc(), Alloc()) | (Dealloc(), Dealloc()):
                return self._memories(left.memory, right.memory)
            case (Assert(), Assert()):
                return self._terms((left.condition, *left.exact), (right.condition, *right.exact))
            case (Touch(), Touch()):
                return False
            case (Loop(), Loop()):
                heads = ((s.iv, s.unsigned, s.parallel, s.updated, s.overwrites) for s in (left, right))
                same = next(heads) == next(heads)
                bounds = self._terms(left.lowers, right.lowers) and self._terms(left.uppers, right.uppers)
                return (
                    same
                    and bounds
                    and self._terms((left.step,), (right.step,))
                    and self._blocks(left.body, right.body, inside)
                )
            case (If(), If()):
                return (
                    self._terms((left.condition, *left.exact), (right.condition, *right.exact))
                    and self._blocks(left.then, right.then, inside)
                    and self._blocks(left.otherwise, right.otherwise, inside)
                )
            case (While(), While()):
                return (
                    self._blocks(left.before, right.before, inside)
                    and self._terms((left.condition,), (right.condition,))
                    and self._blocks(left.after, right.after, inside)
                )
            case _:
                return False


def _same_globals(source: Function, target: Function) -> bool:
    """Whether both see the same hidden inputs: none, as far as this goes."""
    return not (source.globals or target.globals or source.constants or target.constants)
