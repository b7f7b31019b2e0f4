"""Which values the elements of an integer input may have where they are subscripts, or bounds of loops over subscripts.

Example: in a breadth-first search over rows that are stored sparsely, `dist[col[j]]` for `j` from `ptr[u]` to
`ptr[u + 1]`: an element of `col` is less than the extent of `dist`, one of `ptr` at most that of `col`, and each is at
least the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import IndexType, IntType
from hecv.program.tree import Function, Load, Loop, Memory, MemoryKind, Store, walk
from hecv.run.codegen.term_code import number_of
from hecv.run.interpreter.outcome_analysis import placing

CASTS: Final = frozenset({"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"})
"""Ops whose result is the number that they are given, where that fits."""

MOST_STEPS: Final = 10_000
"""Terms that are followed back from the subscripts of a function, at most."""


class Places(Struct, frozen=True):
    """What the elements of an input are used as: subscripts that are less than each of the extents `below`; and bounds,
    in order, that are at most each of `up_to`."""

    below: frozenset[Term] = frozenset()
    up_to: frozenset[Term] = frozenset()

    def draw(self, count: int, extents: Mapping[Term, int], random: Random) -> list[int] | None:
        """So many elements in range; None if no extent is known. Literals are not in `extents`."""
        below, up_to = (_least(found, extents) for found in (self.below, self.up_to))
        if up_to is None:
            return None if below is None else [random.randrange(max(below, 1)) for _ in range(count)]
        most = up_to if below is None else min(up_to, below - 1)
        cuts = sorted(random.randint(0, max(most, 0)) for _ in range(count))
        if count > 1 and random.random() < 0.7:
            cuts[0], cuts[-1] = 0, max(most, 0)
        return cuts


def _least(found: Iterable[Term], extents: Mapping[Term, int]) -> int | None:
    values = [literal(t) if literal(t) is not None else extents.get(t) for t in found]
    return min((v for v in values if isinstance(v, int)), default=None)


def data_of(function: Function) -> frozenset[int]:
    """The ids of the inputs of which no subscript or bound is made: their elements may be any numbers."""
    places = placing(function)
    loads = {s.id: s.memory.id for s in walk(function.body) if isinstance(s, Load)}
    reads = (t for t in function.terms if t.op in ("read", "load") and t.id in places)
    tied = {loads.get(number_of(t, "load"), -1) if t.op == "read" else number_of(t, "memory") for t in reads}
    return frozenset(a.memory.id for a in function.inputs() if a.memory is not None and a.memory.id not in tied)


def places_of(function: Function) -> dict[int, Places]:
    """What the elements of each integer input are used as, by the id of its memory."""
    return _Places(function).found()


class _Places:
    def __init__(self, function: Function) -> None:
        self._inputs: Final = {
            a.memory.id: a.memory
            for a in function.inputs()
            if a.memory is not None and isinstance(a.memory.element, IntType | IndexType)
        }
        self._extents: Final = {m: memory.extents for m, memory in function.memories().items()}
        self._loads: Final[dict[int, Memory]] = {}
        self._stored: Final[dict[int, list[Term]]] = {}
        self._loops: Final[dict[Term, list[Loop]]] = {}
        self._accesses: Final[list[Load | Store]] = []
        self._below: Final[dict[int, set[Term]]] = {}
        self._up_to: Final[dict[int, set[Term]]] = {}
        self._left = MOST_STEPS
        for s in walk(function.body):
            match s:
                case Load(id=number, memory=memory):
                    self._loads[number] = memory
                    self._accesses.append(s)
                case Store(memory=memory, value=value):
                    self._stored.setdefault(memory.id, []).append(value)
                    self._accesses.append(s)
                case Loop(iv=iv):
                    self._loops.setdefault(iv, []).append(s)
                case _:
                    pass

    def found(self) -> dict[int, Places]:
        for s in self._accesses:
            extents = self._extents.get(s.memory.id, s.memory.extents)
            for index, extent in zip(s.indices, extents, strict=False):
                self._follow(index, extent, self._below, set())
        keys = self._below.keys() | self._up_to.keys()
        return {
            m: Places(frozenset(self._below.get(m, ())), frozenset(self._up_to.get(m, ())))
            for m in keys & self._inputs.keys()
        }

    def _follow(self, root: Term, extent: Term, noted: dict[int, set[Term]], seen: set[int]) -> None:
        """Notes the extent for the inputs that `root` is read from, also through cells, local memory and loops."""
        left = [root]
        while left and self._left > 0:
            term = left.pop()
            self._left -= 1
            if term.id in seen:
                continue
            seen.add(term.id)
            if term.op in CASTS:
                left += term.args
            elif term.op == "arith.select":
                left += term.args[1:]
            elif term.op == "read":
                memory = self._loads.get(number_of(term, "load"))
                if memory is not None and memory.id in self._inputs:
                    noted.setdefault(memory.id, set()).add(extent)
                if memory is not None and memory.kind in (MemoryKind.CELL, MemoryKind.LOCAL):
                    left += self._stored.get(memory.id, ())
            elif term.op == "iv":
                for loop in self._loops.get(term, ()):
                    for bound in (*loop.lowers, *loop.uppers):
                        self._follow(bound, extent, self._up_to, set(seen))
