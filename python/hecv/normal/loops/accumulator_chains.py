"""Accumulator chains: a value that an unroller carried from copy to copy is stored after each copy.

    store f(f(f(%c, x0), x1), x2), %c   =>   store f(%c, x0), %c; store f(%c, x1), %c; store f(%c, x2), %c

Only the element itself changes in between, and each step reads it once more. Steps in arithmetic progression are a loop
again (`hecv.normal.loops.rerolling`). `store f(...f(v, x0)..., x9), %c` becomes `store v, %c` and then that loop. For a
chain inside a larger value, a cell of our own holds the value step by step.
"""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder, rebuild
from hecv.base.types import IndexType
from hecv.normal.loops.unrolled_copies import Progression, progression
from hecv.program.skeletons import Shape, Skeletons, memory_of
from hecv.program.tree import Alloc, Block, Function, Memory, MemoryKind, Store, walk

MAX_PERIOD = 16
"""Operators in one step, at most."""

MAX_NODES = 10_000
"""Operators in a value, at most; a larger one stays as it is."""

MAX_DEPTH = 16
"""Operators between a value and a chain in it, at most."""

FEWEST_STEPS = 4
FEWEST_WITHIN = 8
"""The fewest steps of a chain that starts from a value other than the element's own, and of one within a value: a few
alike may as well be what someone wrote, and have less in common with another program as a loop."""


class Numbers(Struct):
    """The next free numbers of statements and of memories."""

    statement: int
    memory: int

    @classmethod
    def free_in(cls, function: Function, body: Block) -> Numbers:
        """The first numbers that neither the function nor a form of its body uses."""
        memories = (s.memory.id for s in walk(body) if isinstance(s, Alloc))
        statements = (s.id for s in walk(body))
        return cls(1 + max(statements, default=0), 1 + max((*function.memories(), *memories), default=0))


class Steps(Struct, frozen=True):
    """A store taken apart: `before`, then the stores of a progression, which become a loop, then `after`."""

    before: Block
    stores: tuple[Store, ...]
    found: Progression
    after: Block = ()


class Chain(Struct, frozen=True):
    """Terms of which each is an operand of the one before; each `period` of them are one step, the last step first."""

    spine: tuple[Term, ...]
    period: int

    def parts(self) -> list[tuple[Term, ...]]:
        """The terms of each step, from its result to its input."""
        return [self.spine[k : k + self.period + 1] for k in range(0, len(self.spine) - 1, self.period)]


class Accumulators:
    """Takes apart the stores of a function. Two of the memories `overlapping` may have elements in common."""

    def __init__(
        self, pool: TermPool, skeletons: Skeletons, numbers: Numbers, overlapping: frozenset[int] = frozenset()
    ) -> None:
        self._pool = pool
        self._skeletons = skeletons
        self._numbers = numbers
        self._overlapping = overlapping

    def steps(self, store: Store) -> Steps | None:
        """The store taken apart; None if it has no chain of steps in progression.

        Ensures: the same element holds the same value in the end; the same accesses are in bounds, and the same
        operators are evaluated on the same operands.
        """
        shape = self._skeletons.term(store.value)
        if store.guarded or not shape.fits:
            return None
        if store.memory.id in shape.memories:
            own = self._own_steps(store)
            if own is not None:
                return own
        elif store.memory.kind is MemoryKind.CELL:
            chain = self._chain(store.value, FEWEST_STEPS)
            if chain is not None:
                return self._taken_apart(store, chain, (replace(store, value=chain.spine[-1]),))
        return self._within(store)

    def _own_steps(self, store: Store) -> Steps | None:
        """A chain of steps from the element itself, which is read nowhere else."""
        nodes = postorder((store.value,))
        own = [t for t in nodes if t.op == "load" and memory_of(t) == store.memory.id]
        element = _element(self._pool, store)
        if own != [element] or len(nodes) > MAX_NODES or store.memory.id in self._overlapping:
            return None
        spine = _spine_to(store.value, element, nodes)
        period = None if spine is None else _period(self._skeletons, spine)
        if spine is None or period is None:
            return None
        return self._taken_apart(store, Chain(tuple(spine), period), ())

    def _within(self, store: Store) -> Steps | None:
        """A chain inside the value, which a cell of our own holds."""
        chain = self._chain(store.value, FEWEST_WITHIN, MAX_DEPTH)
        return None if chain is None else self._with_cell(store, chain)

    def _with_cell(self, store: Store, chain: Chain) -> Steps | None:
        number = self._numbers.memory
        cell = Memory(number, MemoryKind.CELL, f"steps{number}", chain.spine[0].type, ())
        first = Store(store.id, cell, (), chain.spine[-1])
        found = self._taken_apart(first, chain, (Alloc(self._numbers.statement, cell), first))
        if found is None:
            return None
        self._numbers.memory += 1
        self._numbers.statement += 1
        element = _element(self._pool, first)
        value = rebuild(self._pool, store.value, lambda t: element if t is chain.spine[0] else None, {})
        return replace(found, after=(replace(store, value=value),))

    def _chain(self, root: Term, fewest: int, depth: int = 0) -> Chain | None:
        """At least `fewest` steps to the value, or to a part of it at most `depth` operators down; None if there are
        none."""
        if self._skeletons.term(root).height <= fewest:
            return None
        path = _highest(self._skeletons, root)
        marks = [_mark(self._skeletons, *pair) for pair in pairwise(path)]
        for start in range(min(depth, len(marks)) + 1):
            for period in range(1, MAX_PERIOD + 1):
                # The last step may be shorter along another operand.
                end = start + (fewest - 1) * period
                if len(marks) < end or marks[start + period : end] != marks[start : end - period]:
                    continue
                spine = _spine_of(self._skeletons, path[start], period)
                count = (len(spine) - 1) // period
                if count >= fewest:
                    return Chain(tuple(spine[: count * period + 1]), period)
        return None

    def _step(self, part: tuple[Term, ...], element: Term) -> Term:
        """One step: its first term, with the element in place of its last."""
        value = element
        for inner, node in pairwise(reversed(part)):
            args = tuple([value if a is inner else a for a in node.args])
            value = self._pool.make(node.op, args, node.type, node.attrs)
        return value

    def _taken_apart(self, store: Store, chain: Chain, before: Block) -> Steps | None:
        """One store per step of the chain."""
        element = _element(self._pool, store)
        if any(t.type != element.type for t in chain.spine[:: chain.period]) or isinstance(element.type, IndexType):
            return None
        made: list[Store] = []
        for part in reversed(chain.parts()):
            made.append(replace(store, value=self._step(part, element)))
        shapes: list[Shape] = [self._skeletons.statement(s) for s in made]
        found = progression([*made], shapes, 0, 1)
        return None if found is None or found.count != len(made) else Steps(before, tuple(made), found)


def _element(pool: TermPool, store: Store) -> Term:
    """A load of the element that is stored to."""
    return pool.load(store.memory.id, store.indices, store.memory.element)


def _highest(skeletons: Skeletons, root: Term) -> list[Term]:
    """The terms from `root` down, each the highest operand of the one before."""
    path = [root]
    while path[-1].args:
        path.append(max(path[-1].args, key=lambda t: skeletons.term(t).height))
    return path


def _spine_of(skeletons: Skeletons, root: Term, period: int) -> list[Term]:
    """The terms from `root` down as long as they repeat after `period` operators: at first along the highest operand,
    then along the same operands again."""
    spine, taken, marks = [root], list[int](), list[tuple[object, ...]]()
    while (node := spine[-1]).args and len(spine) < MAX_NODES:
        heights = [skeletons.term(a).height for a in node.args]
        again = len(marks) - period
        place = heights.index(max(heights)) if again < 0 else taken[again]
        if place >= len(node.args):
            break
        mark = _mark(skeletons, node, node.args[place])
        if again >= 0 and mark != marks[again]:
            break
        spine.append(node.args[place])
        taken.append(place)
        marks.append(mark)
    return spine


def _spine_to(root: Term, element: Term, nodes: list[Term]) -> list[Term] | None:
    """The terms from `root` down to `element`; None if a term has two operands that contain the element."""
    having: set[int] = {element.id}
    for node in nodes:
        if any(a.id in having for a in node.args):
            having.add(node.id)
    spine = [root]
    while spine[-1] is not element:
        inner = {a for a in spine[-1].args if a.id in having}
        if len(inner) != 1:
            return None
        spine += inner
    return spine


def _period(skeletons: Skeletons, spine: list[Term]) -> int | None:
    """The number of operators after which a spine repeats itself; None if it does not."""
    marks = [_mark(skeletons, *pair) for pair in pairwise(spine)]
    for period in range(1, min(MAX_PERIOD, len(marks) // 2) + 1):
        if len(marks) % period == 0 and marks[period:] == marks[:-period]:
            return period
    return None


def _mark(skeletons: Skeletons, node: Term, inner: Term) -> tuple[object, ...]:
    """An operator with the skeletons of its operands, except the one on the spine."""
    others = tuple([None if a is inner else skeletons.term(a).skeleton for a in node.args])
    return (node.op, node.attrs, node.type, others)
