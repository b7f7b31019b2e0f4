"""External functions in a run: what a function without a body returns and writes, and which calls the program makes.

Such a function may do anything that its type allows with its operands and the caller's memory, and may remember all
earlier calls. So its answers are drawn at random while the first program runs. The second program gets the same answers
as long as it makes the same calls in the same order. At the first other call the two programs differ, whatever comes
later: the function may print what it sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from operator import mul
from random import Random
from typing import Final, Protocol

from msgspec import Struct, field

from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.base.value import POISON, Scalar, refined
from hecv.program.tree import Block, Call, Function, If, Loop, Memory, MemoryKind, While

MOST_CALLS: Final = 256
"""Calls answered at random in one run, at most."""

MOST_ELEMENTS: Final = 200_000
"""Elements that all calls of one run may see, at most."""

_FLOATS: Final = (0.0, 1.0, -1.0, 0.5, 2.0, -1.5)
_SMALL: Final = 8


class Elements(Protocol):
    """The elements of a memory in a run."""

    def __getitem__(self, index: int, /) -> Scalar: ...
    def __setitem__(self, index: int, value: Scalar, /) -> None: ...
    def __len__(self) -> int: ...


class Site(Struct, frozen=True):
    """A call site.

    `visible` are the memories that the callee sees: first the `given` ones passed to it, then everything that the
    program's caller sees. It may write those that are `writable`; `inputs` has the number of each that is an input.
    Some passed memrefs are `viewed`: `viewed[k]` of the last operands say where view `k` lies.

    Of a memory that is not an input, the callee is assumed to see only the elements of its view, and its sizes. It
    could see more in the rest of the memory, in offset and strides, and in what two views have in common.
    """

    callee: str
    statement: int
    operands: tuple[ScalarType, ...]
    results: tuple[ScalarType, ...]
    visible: tuple[Memory, ...]
    given: int
    writable: tuple[bool, ...]
    inputs: tuple[int | None, ...]
    viewed: tuple[int, ...] = ()

    def windows(self) -> dict[int, range]:
        """For each memory, by number, that is not seen as a whole: the operands that say where the view lies."""
        start = len(self.operands) - sum(self.viewed)
        found: dict[int, range] = {}
        for number, count in enumerate(self.viewed):
            if count and self.inputs[number] is None:
                found[number] = range(start, start + count)
            start += count
        return found

    def name(self, number: int) -> str:
        """The name of a memory."""
        text = named(self.visible[number])
        return f"the view of {text}" if number in self.windows() else text


class _Window:
    """The elements of a view of a memory, in row-major order."""

    def __init__(self, memory: Elements, positions: Sequence[int]) -> None:
        self._memory = memory
        self._positions = positions

    def __getitem__(self, index: int, /) -> Scalar:
        return self._memory[self._positions[index]]

    def __setitem__(self, index: int, value: Scalar, /) -> None:
        self._memory[self._positions[index]] = value

    def __len__(self) -> int:
        return len(self._positions)


class Made(Struct, frozen=True):
    """A call in a run: what the callee saw, what it returned, and the elements that it wrote, each with the number
    of its memory among the visible ones."""

    site: Site
    operands: tuple[Scalar, ...]
    contents: tuple[tuple[Scalar, ...], ...]
    results: tuple[Scalar, ...]
    writes: tuple[tuple[int, int, Scalar], ...]


class Mismatch(Struct, frozen=True):
    """The call that a program makes where the other makes call `number`, counted from 1; `poison`: it is the same
    call except for a poison value."""

    number: int
    text: str
    poison: bool = False


class World(Struct):
    """All functions without a body, in one run.

    Without a `script`, their answers are drawn from `seed`; with one, they are those of an earlier run.
    """

    seed: str
    script: tuple[Made, ...] | None = None
    made: list[Made] = field(default_factory=list[Made])
    _seen: int = 0

    def call(self, site: Site, operands: tuple[Scalar, ...], memories: Sequence[Elements]) -> Made | Mismatch | str:
        """Makes a call and applies its writes to the memories.

        A `Mismatch` if it is not the expected call; a text if the run must end without an answer.
        """
        seen = _seen(site, operands, memories)
        if isinstance(seen, str):
            return seen
        memories = seen
        sizes = [len(m) for m in memories]
        self._seen += sum(sizes)
        if len(self.made) == MOST_CALLS or self._seen > MOST_ELEMENTS:
            return "there are too many calls of functions without a body, or they see too much"
        contents = tuple(tuple(m[k] for k in range(n)) for m, n in zip(memories, sizes, strict=True))
        if self.script is None:
            if any(value is POISON for value in operands):
                return f"@{site.callee} has no body and is given poison"
            made = self._drawn(site, operands, contents)
        else:
            number = len(self.made)
            if number < len(self.script) and _given_otherwise(self.script[number].site, site):
                return f"@{site.callee} has no body and is given a view on one side"
            other = mismatch(self.script, number, site, operands, contents)
            if other is not None:
                return other
            made = self.script[number]
        for memory, position, value in made.writes:
            memories[memory][position] = value
        self.made.append(made)
        return made

    def left(self) -> Mismatch | None:
        """The first call of the script that a finished run did not make."""
        number = len(self.made)
        script = self.made if self.script is None else self.script
        if number == len(script):
            return None
        return Mismatch(number + 1, f"call {number + 1}, of @{script[number].site.callee}, is not made")

    def again(self) -> World:
        """A world with the same answers, for the other program."""
        return World(self.seed, tuple(self.made))

    def _drawn(self, site: Site, operands: tuple[Scalar, ...], contents: tuple[tuple[Scalar, ...], ...]) -> Made:
        random = Random(f"{self.seed} {len(self.made)}")
        results = tuple(_value(random, kind) for kind in site.results)
        writes: list[tuple[int, int, Scalar]] = []
        for number, (memory, held) in enumerate(zip(site.visible, contents, strict=True)):
            if site.writable[number]:
                chosen = _positions(random, held, number < site.given)
                writes += [(number, position, _value(random, memory.element)) for position in chosen]
        return Made(site, operands, contents, results, tuple(writes))


def _seen(site: Site, operands: Sequence[Scalar], memories: Sequence[Elements]) -> Sequence[Elements] | str:
    """What a call sees of the memories; a text if the run must end without an answer."""
    windows = site.windows()
    found = list(memories)
    for number, places in windows.items():
        where = [n for n in operands[places.start : places.stop] if isinstance(n, int)]
        if len(where) < len(places):
            return f"@{site.callee} has no body and is given poison"
        offset, *rest = where
        rank = len(rest) // 2
        if prod(map(abs, rest[:rank])) > MOST_ELEMENTS:
            return "there are too many calls of functions without a body, or they see too much"
        indices = product(*map(range, rest[:rank]))
        positions = [offset + sum(map(mul, index, rest[rank:])) for index in indices]
        if any(not 0 <= p < len(memories[number]) for p in positions):
            return f"@{site.callee} has no body and is given a view that is beyond its memory"
        found[number] = _Window(memories[number], positions)
    return found


def mismatch(
    script: Sequence[Made],
    number: int,
    site: Site,
    operands: Sequence[Scalar],
    contents: Sequence[Sequence[Scalar]],
) -> Mismatch | None:
    """How a call differs from the script; None if it does not. Anything refines poison."""
    which, count = f"call {number + 1}", number + 1
    if number == len(script):
        return Mismatch(count, f"{which}, of @{site.callee}, is one too many")
    expected = script[number]
    if site.callee != expected.site.callee:
        return Mismatch(count, f"{which} is of @{site.callee}, expected @{expected.site.callee}")
    which += f", of @{site.callee}"
    if len(expected.operands) != len(operands):  # views of arguments of other shapes, whose layout is not known
        return Mismatch(count, f"{which}: it is given a view of another memref")
    # Of an allocation nobody else knows where a view lies in it.
    sizes = {p.start: len(p) // 2 for p in expected.site.windows().values()}
    unseen = {k for p in expected.site.windows().values() for k in p if not 1 <= k - p.start <= sizes[p.start]}
    for k, (first, second) in enumerate(zip(expected.operands, operands, strict=True)):
        if k not in unseen and not refined(first, second):
            return Mismatch(count, f"{which}: operand {k} is {second!r}, expected {first!r}", second is POISON)
    for memory, (first, second) in enumerate(zip(expected.contents, contents, strict=True)):
        if len(first) != len(second):
            return Mismatch(count, f"{which}: it is given {len(second)} elements, expected {len(first)}")
        for n, (a, b) in enumerate(zip(first, second, strict=True)):
            if not refined(a, b):
                text = f"{which}: element {n} of {site.name(memory)} is {b!r}, expected {a!r}"
                return Mismatch(count, text, b is POISON)
    return None


def named(memory: Memory) -> str:
    """The name of a memory with its sigil."""
    return memory.name if memory.kind is MemoryKind.GLOBAL else f"%{memory.name}"


def _given_otherwise(expected: Site, site: Site) -> bool:
    """True if two calls of the same function may agree although they pass memory in different ways.

    One passes a view and the other a whole memory, or one passes a view of an allocation and the other one of an
    argument.
    """
    views = [(*map(bool, s.viewed), *s.windows()) for s in (expected, site)]
    return expected.callee == site.callee and views[0] != views[1]


def _value(random: Random, kind: ScalarType) -> Scalar:
    """A random value of a type. Small integers are more likely, since they may be indices."""
    if isinstance(kind, FloatType):
        return random.choice(_FLOATS)
    if isinstance(kind, IndexType):
        return random.randrange(_SMALL)
    assert not hasattr(kind, "text"), "opaque values are not run"
    width = kind.width  # type: ignore[union-attr]
    return random.choice((random.randrange(_SMALL), random.getrandbits(width), -1)) % (1 << width)


def _positions(random: Random, held: Sequence[Scalar], given: bool) -> list[int]:
    """The elements that a call writes: all of a memory, some, or none; uninitialised memory is more often written
    completely."""
    whole = given and (random.random() < 0.5 or any(value is POISON for value in held))
    if whole:
        return list(range(len(held)))
    return sorted({random.randrange(len(held)) for _ in range(random.randrange(3))}) if held else []


def sites(function: Function) -> dict[int, Site]:
    """The calls of functions without a body that a run can make, by statement.

    Excluded are calls in parallel loops, whose order is unspecified, and calls in functions that others call, where not
    all that they see is known.
    """
    found: dict[int, Site] = {}
    # What has no body reaches a private global by functions of the module at most, and need not call these.
    inputs = [a for a in function.inputs() if a.is_shared() and a.name not in function.private]
    numbers = {a.memory.id: a.number for a in inputs if a.memory is not None}
    constant = {c.memory.id for c in function.constants}

    def visit(block: Block) -> None:
        for statement in block:
            match statement:
                case Call() if not statement.known:
                    found[statement.id] = site(statement)
                case Loop() if not statement.parallel:
                    visit(statement.body)
                case While():
                    visit(statement.before)
                    visit(statement.after)
                case If():
                    visit(statement.then)
                    visit(statement.otherwise)
                case _:
                    pass

    def site(call: Call) -> Site:
        others = () if call.prints else inputs
        visible = (*call.memories[: call.given], *(a.memory for a in others if a.memory is not None))
        return Site(
            call.callee,
            call.id,
            tuple(t.type for t in call.operands),
            tuple(m.element for m in call.results),
            visible,
            call.given,
            tuple(m.id not in constant and not call.prints for m in visible),
            tuple(numbers.get(m.id) for m in visible),
            call.viewed,
        )

    visit(function.body)
    return found


def calls_outside(functions: Sequence[Function]) -> bool:
    """True if some function calls a function without a body, and a run can make the call."""
    return any(sites(f) for f in functions)


Sites = Mapping[int, Site]
