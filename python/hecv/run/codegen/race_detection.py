"""Race detection for parallel loops, while a function runs in loop order.

Each parallel loop records, for each element of a memory from outside the loop, which iteration last wrote it and which
read it. An access by another iteration is a race if one of the two is a write. Cells from outside hold reductions and
are exempt, as are memories that a loop only updates atomically. Elements of arguments that may share memory are
identified by their address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from hecv.program.tree import Alloc, Function, Loop, Memory, MemoryKind, walk


class _Parallel(Struct, frozen=True):
    """An enclosing parallel loop: its number, the variable that holds the iteration, and the `private` memories.

    Private are memories that its body allocates (nobody else sees them) or only updates atomically (any order is
    right). With `overwrites`, the order of two writes is unspecified.
    """

    number: int
    iteration: str
    private: frozenset[int]
    overwrites: bool


class Races:
    """Emits the race checks in the code of one function."""

    def __init__(self, function: Function, may_overlap: bool = False) -> None:
        self._memories = [m for m in function.memories().values() if m.kind is not MemoryKind.CELL]
        inputs = {a.memory.id for a in function.inputs() if a.memory is not None and may_overlap}
        self._overlapping = frozenset(inputs)
        self.in_order = False
        """Writes of one element by a loop that overwrites come in the order of its iterations."""
        self._open: list[_Parallel] = []
        self._count = 0

    @property
    def watching(self) -> bool:
        """True inside a parallel loop."""
        return bool(self._open)

    def enter(self, loop: Loop, iteration: str, line: Callable[[str], None]) -> None:
        """Begins a parallel loop with an empty access record; the variable `iteration` identifies iterations."""
        private = loop.updated.union(s.memory.id for s in walk(loop.body) if isinstance(s, Alloc))
        self._open.append(_Parallel(self._count, iteration, private, loop.overwrites))
        noted = (str(m.id) for m in self._memories if m.id not in private and m.id not in self._overlapping)
        for name in (*noted, *(["inputs"] if self._overlapping else [])):
            line(f"w{self._count}_{name} = {{}}; q{self._count}_{name} = {{}}")
        self._count += 1

    def leave(self) -> None:
        """Ends the innermost parallel loop."""
        self._open.pop()

    def access(self, memory: Memory, text: str, writes: bool, statement: int) -> Iterator[str]:
        """The lines that check and record an access to the element `text` (`m3[o1]`, or `m3` for a single element)."""
        if memory.kind is MemoryKind.CELL:
            return
        offset = text.partition("[")[2].removesuffix("]") or "0"
        overlapping = memory.id in self._overlapping and "[" in text
        name, place = ("inputs", f"place(m{memory.id}, {offset})") if overlapping else (str(memory.id), offset)
        for loop in self._open:
            if memory.id not in loop.private:
                yield from _checked(loop, memory, name, (place, offset), writes, statement, self.in_order)


def _checked(
    loop: _Parallel, memory: Memory, name: str, at: tuple[str, str], writes: bool, statement: int, in_order: bool
) -> Iterator[str]:
    """The lines for one loop; `at` are the texts of the element's key and of its number."""
    now, (place, offset) = loop.iteration, at
    wrote, read = (f"{letter}{loop.number}_{name}" for letter in "wq")
    for noted in (wrote, read) if writes else (wrote,):
        met = f"({noted}[{place}], {now})"
        open_ = writes and noted is wrote and loop.overwrites
        if open_ and in_order:
            continue
        ends = "overwritten" if open_ else "race"
        yield (
            f"if {noted}.get({place}, {now}) != {now}: "
            f"return {ends}({statement}, budget - left, {memory.name!r}, {offset}, {met})"
        )
    if writes:
        yield f"{wrote}[{place}] = {now}"
    else:
        yield f"{read}[{place}] = {now} if {read}.get({place}, {now}) == {now} else SEVERAL"
