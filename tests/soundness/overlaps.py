"""Random programs on three arguments that may overlap, edits of them, and what they compute wherever the arguments lie.

Programs are data: `text` gives their MLIR, `run` computes them in one flat memory and shares nothing with `hecv`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

ARRAYS = ("A", "B", "C")
EXTENT = 10
TRIPS = 3
MASK = (1 << 32) - 1
BYTES = 4
FILLS = {"zeros": 0, "ones": -1, "number": 1}
GIVEN = frozenset({"x", *FILLS})


@dataclass(frozen=True)
class Index:
    """`factor * i + constant`, where `i` is the variable of the loop at `depth`."""

    depth: int
    factor: int
    constant: int

    def at(self, ivs: tuple[int, ...]) -> int:
        return (self.factor * ivs[self.depth] if self.factor else 0) + self.constant

    def text(self) -> str:
        return f"%i{self.depth} * {self.factor} + {self.constant}" if self.factor else str(self.constant)


@dataclass(frozen=True)
class Load:
    name: str
    array: str
    index: Index


@dataclass(frozen=True)
class Store:
    """Stores `left * factor + right`; both are names of loads or of the argument `x`, or `right` is one of `FILLS` and
    `factor` 0: then it stores a literal."""

    array: str
    index: Index
    left: str
    factor: int
    right: str


@dataclass(frozen=True)
class Loop:
    backwards: bool
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    """Runs `body` where a loaded value is odd."""

    name: str
    body: tuple[Statement, ...]


Statement = Load | Store | Loop | If
Program = tuple[Statement, ...]


class _Maker:
    def __init__(self, random: Random, branches: bool, fills: bool) -> None:
        self.random = random
        self.branches = branches
        self.fills = fills
        self.count = 0

    def index(self, depth: int) -> Index:
        if depth == 0 or self.random.random() < 0.2:
            return Index(0, 0, self.random.randrange(EXTENT))
        return Index(self.random.randrange(depth), self.random.choice((1, 1, 2)), self.random.randrange(4))

    def block(self, depth: int, names: tuple[str, ...], size: int) -> Program:
        found: list[Statement] = []
        for _ in range(size):
            what = self.random.random()
            if what < 0.25 and depth < 2:
                found.append(Loop(False, self.block(depth + 1, names, self.random.randint(1, 3))))
            elif what < 0.32 and self.branches and len(names) > 1:
                found.append(If(self.random.choice(names[1:]), self.block(depth, names, self.random.randint(1, 2))))
            elif self.fills and what < 0.8:
                value = self.random.choice(("zeros", "zeros", "zeros", "ones", "number"))
                found.append(Store(self.random.choice(ARRAYS), self.index(depth), "x", 0, value))
            elif what < (0.9 if self.fills else 0.6):
                self.count += 1
                name = f"v{self.count}"
                found.append(Load(name, self.random.choice(ARRAYS), self.index(depth)))
                names = (*names, name)
            else:
                left, right = (self.random.choice(names) for _ in range(2))
                array, factor = self.random.choice(ARRAYS), self.random.choice((1, 1, 3))
                found.append(Store(array, self.index(depth), left, factor, right))
        return tuple(found)


def program(random: Random, branches: bool = False, fills: bool = False) -> Program:
    """A program that stores something, with `fills` literals mostly."""
    while True:
        made = _Maker(random, branches, fills).block(0, ("x",), random.randint(2, 5))
        if any(isinstance(s, Store) for s in _walk(made)):
            return made


def _walk(block: Program) -> Iterator[Statement]:
    for statement in block:
        yield statement
        if isinstance(statement, Loop | If):
            yield from _walk(statement.body)


# Text


def text(block: Program) -> str:
    kind = f"memref<{EXTENT}xi32>"
    arguments = ", ".join(f"%{a}: {kind}" for a in ARRAYS)
    lines = _lines(block, 0, kind, "")
    return "\n".join([f"func.func @f({arguments}, %x: i32) {{", *lines, "  return", "}"])


def _lines(block: Program, depth: int, kind: str, path: str) -> Iterator[str]:
    for at, statement in enumerate(block):
        number = f"{path}_{at}"
        match statement:
            case Load(name, array, index):
                yield f"  %{name} = affine.load %{array}[{index.text()}] : {kind}"
            case Store(array, index, _, 0, right):
                yield f"  %s{number} = arith.constant {FILLS[right]} : i32"
                yield f"  affine.store %s{number}, %{array}[{index.text()}] : {kind}"
            case Store(array, index, left, factor, right):
                yield f"  %c{number} = arith.constant {factor} : i32"
                yield f"  %m{number} = arith.muli %{left}, %c{number} : i32"
                yield f"  %s{number} = arith.addi %m{number}, %{right} : i32"
                yield f"  affine.store %s{number}, %{array}[{index.text()}] : {kind}"
            case Loop(backwards, body):
                iv = f"%j{depth}" if backwards else f"%i{depth}"
                yield f"  affine.for {iv} = 0 to {TRIPS} {{"
                if backwards:
                    yield f"  %i{depth} = affine.apply affine_map<(d0) -> ({TRIPS - 1} - d0)>(%j{depth})"
                yield from _lines(body, depth + 1, kind, number)
                yield "  }"
            case If(name, body):
                yield f"  %k{number} = arith.trunci %{name} : i32 to i1"
                yield f"  scf.if %k{number} {{"
                yield from _lines(body, depth, kind, number)
                yield "  }"


# Meaning


def run(block: Program, bases: dict[str, int], memory: list[int], x: int) -> list[int]:
    """What the memory holds in the end, where each array begins at its base."""
    memory = list(memory)
    _run(block, bases, memory, (), {"x": x, **FILLS})
    return memory


def run_on_bytes(block: Program, bases: dict[str, int], memory: bytes, x: int) -> bytes:
    """What the memory holds in the end, where each array begins at its base, a number of bytes."""
    held = _Bytes(memory)
    _run(block, bases, held, (), {"x": x, **FILLS}, BYTES)
    return bytes(held.bytes)


class _Bytes:
    """Numbers by the place of their first byte."""

    def __init__(self, memory: bytes) -> None:
        self.bytes = bytearray(memory)

    def __getitem__(self, at: int) -> int:
        return int.from_bytes(self.bytes[at : at + BYTES], "little")

    def __setitem__(self, at: int, value: int) -> None:
        self.bytes[at : at + BYTES] = value.to_bytes(BYTES, "little")


def _run(
    block: Program,
    bases: dict[str, int],
    memory: list[int] | _Bytes,
    ivs: tuple[int, ...],
    env: dict[str, int],
    size: int = 1,
) -> None:
    for statement in block:
        match statement:
            case Load(name, array, index):
                env[name] = memory[bases[array] + size * index.at(ivs)]
            case Store(array, index, left, factor, right):
                memory[bases[array] + size * index.at(ivs)] = (env[left] * factor + env[right]) & MASK
            case Loop(backwards, body):
                for i in reversed(range(TRIPS)) if backwards else range(TRIPS):
                    _run(body, bases, memory, (*ivs, i), env, size)
            case If(name, body):
                if env[name] & 1:
                    _run(body, bases, memory, ivs, env, size)


def placements(distance: int = EXTENT) -> Iterator[dict[str, int]]:
    """Every way in which three arrays lie to each other, as far as `distance` apart."""
    for b in range(distance + 1):
        for c in range(-distance, b + distance + 1):
            for sign in (1, -1):
                yield {"A": 3 * distance, "B": 3 * distance + sign * b, "C": 3 * distance + sign * c}


def difference(source: Program, target: Program, random: Random) -> dict[str, int] | None:
    """A placement for which the programs differ."""
    x = random.getrandbits(32)
    memory = [random.getrandbits(32) for _ in range(7 * EXTENT)]
    for bases in placements():
        if run(source, bases, memory, x) != run(target, bases, memory, x):
            return bases
    return None


def difference_in_bytes(source: Program, target: Program, random: Random) -> dict[str, int] | None:
    """A placement for which the programs differ, where arrays may begin between elements of others."""
    x, memory = random.getrandbits(32), random.randbytes(7 * EXTENT * BYTES)
    for bases in placements():
        apart = {name: BYTES * base + random.randrange(BYTES) for name, base in bases.items()}
        for where in ({name: BYTES * base for name, base in bases.items()}, apart):
            if run_on_bytes(source, where, memory, x) != run_on_bytes(target, where, memory, x):
                return where
    return None


# Edits


def _blocks(block: Program, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Program]]:
    yield path, block
    for k, statement in enumerate(block):
        if isinstance(statement, Loop | If):
            yield from _blocks(statement.body, (*path, k))


def _replaced(block: Program, path: tuple[int, ...], new: Program) -> Program:
    if not path:
        return new
    inner = block[path[0]]
    assert isinstance(inner, Loop | If)
    changed = replace(inner, body=_replaced(inner.body, path[1:], new))
    return (*block[: path[0]], changed, *block[path[0] + 1 :])


def _is_valid(block: Program, names: frozenset[str] = GIVEN, depth: int = 0) -> bool:
    """Whether each name is defined where it is used, once, and each index has its loop."""
    for statement in block:
        match statement:
            case Load(name, _, index):
                if name in names or (index.factor and index.depth >= depth):
                    return False
                names |= {name}
            case Store(_, index, left, _, right):
                if not {left, right} <= names or (index.factor and index.depth >= depth):
                    return False
            case Loop(_, body):
                if not _is_valid(body, names, depth + 1):
                    return False
            case If(name, body):
                if name not in names or not _is_valid(body, names, depth):
                    return False
    return True


def edited(source: Program, random: Random) -> Program:
    """The program with one edit, right or wrong; as it is where none was found."""
    for _ in range(40):
        path, block = random.choice(list(_blocks(source)))
        new = _edited(block, random)
        if new is not None:
            made = _replaced(source, path, new)
            if made != source and _is_valid(made):
                return made
    return source


def _edited(block: Program, random: Random) -> Program | None:
    if not block:
        return None
    at = random.randrange(len(block))
    before, statement, after = block[:at], block[at], block[at + 1 :]
    match random.choice(("swap", "swap", "drop", "twice", "forward", "hoist", "split", "fuse", "backwards")):
        case "swap" if after:
            return (*before, after[0], statement, *after[1:])
        case "drop":
            return (*before, *after)
        case "twice" if isinstance(statement, Store):
            return (*before, statement, statement, *after)
        case "forward" if isinstance(statement, Load):
            same = [
                s for s in before if isinstance(s, Load) and (s.array, s.index) == (statement.array, statement.index)
            ]
            if not same:
                return None
            return (*before, *_renamed(after, statement.name, random.choice(same).name))
        case "hoist" if isinstance(statement, Loop) and statement.body:
            return (*before, statement.body[0], replace(statement, body=statement.body[1:]), *after)
        case "split" if isinstance(statement, Loop) and len(statement.body) > 1:
            cut = random.randrange(1, len(statement.body))
            parts = (replace(statement, body=statement.body[:cut]), replace(statement, body=statement.body[cut:]))
            return (*before, *parts, *after)
        case "fuse" if isinstance(statement, Loop) and after and isinstance(after[0], Loop):
            return (*before, replace(statement, body=(*statement.body, *after[0].body)), *after[1:])
        case "backwards" if isinstance(statement, Loop):
            return (*before, replace(statement, backwards=not statement.backwards), *after)
        case _:
            return None


def _renamed(block: Program, old: str, new: str) -> Program:
    return tuple(_with_name(s, old, new) for s in block)


def _with_name(statement: Statement, old: str, new: str) -> Statement:
    def name(text: str) -> str:
        return new if text == old else text

    match statement:
        case Store():
            return replace(statement, left=name(statement.left), right=name(statement.right))
        case Loop():
            return replace(statement, body=_renamed(statement.body, old, new))
        case If():
            return replace(statement, name=name(statement.name), body=_renamed(statement.body, old, new))
        case Load():
            return statement
