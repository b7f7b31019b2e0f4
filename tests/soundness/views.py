"""Random programs that look at one buffer through chains of views."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from random import Random

BASES = ((6, 8), (24,), (4, 1, 6), (2, 3, 4), (12, 2))
LARGEST_OFFSET = 2
"""`%n` and `%m` are at most this."""


@dataclass(frozen=True, slots=True)
class View:
    """An SSA value with its shape and where its elements lie; `offset` is None where it depends on an argument.

    `plain` tells that its type has no layout.
    """

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int | None
    plain: bool

    def type(self) -> str:
        """The type as MLIR writes it."""
        extents = "".join(f"{n}x" for n in self.shape)
        if self.plain:
            return f"memref<{extents}f32>"
        offset = "" if self.offset == 0 else f", offset: {'?' if self.offset is None else self.offset}"
        return f"memref<{extents}f32, strided<[{', '.join(map(str, self.strides))}]{offset}>>"


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a buffer without gaps."""
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def program(random: Random, views: int = 3) -> str:
    """A function of a buffer, two small offsets, and a buffer to copy to; its accesses are in bounds."""
    base = random.choice(BASES)
    view = View("%A", base, row_major(base), 0, True)
    head = f"%A: {view.type()}, %n: index, %m: index"
    lines: list[str] = []
    for number in range(random.randint(1, views)):
        view = random.choice((subview, subview, transpose, collapse, expand))(f"%v{number}", view, lines, random)
    target = View("%B", view.shape, row_major(view.shape), 0, True)
    lines += accesses(view, target, random)
    body = "\n  ".join(lines)
    return f"func.func @f({head}, %B: {target.type()}) {{\n  {body}\n  return\n}}\n"


def subview(name: str, view: View, lines: list[str], random: Random) -> View:
    offsets: list[int | str] = []
    sizes: list[int] = []
    strides: list[int] = []
    for extent in view.shape:
        stride = random.choice((1, 1, 2))
        moving = extent > LARGEST_OFFSET and random.random() < 0.5
        first = LARGEST_OFFSET if moving else random.randrange(extent)
        sizes.append(random.randint(1, 1 + (extent - 1 - first) // stride))
        offsets.append(random.choice(("%n", "%m")) if moving else first)
        strides.append(stride)
    kept = [k for k, size in enumerate(sizes) if size != 1 or random.random() < 0.5]
    units = [k for k, size in enumerate(sizes) if size == 1]
    if any(k in kept for k in units):  # which of several is dropped is for MLIR to guess: drop all or none
        kept = list(range(len(sizes)))
    offset: int | None = view.offset
    for at, stride in zip(offsets, view.strides, strict=True):
        offset = None if offset is None or isinstance(at, str) else offset + at * stride
    steps = tuple(s * t for s, t in zip(view.strides, strides, strict=True))
    made = View(name, tuple(sizes[k] for k in kept), tuple(steps[k] for k in kept), offset, False)
    parts = " ".join(f"[{', '.join(map(str, part))}]" for part in (offsets, sizes, strides))
    lines.append(f"{name} = memref.subview {view.name}{parts} : {view.type()} to {made.type()}")
    return made


def transpose(name: str, view: View, lines: list[str], random: Random) -> View:
    order = random.sample(range(len(view.shape)), len(view.shape))
    made = View(name, tuple(view.shape[k] for k in order), tuple(view.strides[k] for k in order), view.offset, False)
    dims = ", ".join(f"d{k}" for k in range(len(order)))
    result = ", ".join(f"d{k}" for k in order)
    lines.append(f"{name} = memref.transpose {view.name} ({dims}) -> ({result}) : {view.type()} to {made.type()}")
    return made


def collapse(name: str, view: View, lines: list[str], random: Random) -> View:
    """Two dimensions as one, where they lie so."""
    rank = len(view.shape)
    pairs = [
        k
        for k in range(rank - 1)
        if 1 not in view.shape[k : k + 2] and view.strides[k] == view.shape[k + 1] * view.strides[k + 1]
    ]
    if not pairs:
        return view
    at = random.choice(pairs)
    groups = [[k] for k in range(at)] + [[at, at + 1]] + [[k] for k in range(at + 2, rank)]
    shape = (*view.shape[:at], view.shape[at] * view.shape[at + 1], *view.shape[at + 2 :])
    made = View(name, shape, (*view.strides[:at], *view.strides[at + 1 :]), view.offset, view.plain)
    lines.append(f"{name} = memref.collapse_shape {view.name} {groups} : {view.type()} into {made.type()}")
    return made


def expand(name: str, view: View, lines: list[str], random: Random) -> View:
    """One dimension as two."""
    ways = [(k, f) for k, n in enumerate(view.shape) for f in range(2, n) if n % f == 0]
    if not ways:
        return view
    at, inner = random.choice(ways)
    rank = len(view.shape)
    groups = [[k] for k in range(at)] + [[at, at + 1]] + [[k + 1] for k in range(at + 1, rank)]
    shape = (*view.shape[:at], view.shape[at] // inner, inner, *view.shape[at + 1 :])
    strides = (*view.strides[:at], view.strides[at] * inner, view.strides[at], *view.strides[at + 1 :])
    plain = view.plain or (view.strides, view.offset) == ((1,), 0)
    made = View(name, shape, strides, view.offset, plain)
    sizes = ", ".join(map(str, shape))
    lines.append(
        f"{name} = memref.expand_shape {view.name} {groups} output_shape [{sizes}] : {view.type()} into {made.type()}"
    )
    return made


def accesses(view: View, target: View, random: Random) -> list[str]:
    """Every element of the view is copied and changed."""
    if random.random() < 0.4:
        copied = [f"memref.copy {view.name}, {target.name} : {view.type()} to {target.type()}"]
    else:
        copied = nest(view, "%x", f"affine.store %x, {target.name}[AT] : {target.type()}")
    changed = nest(view, "%y", "%z = arith.addf %y, %y : f32", f"affine.store %z, {view.name}[AT] : {view.type()}")
    return random.choice(([*copied, *changed], [*changed, *copied]))


def nest(view: View, loaded: str, *body: str) -> list[str]:
    """Loops over a view that load each element; `AT` in the rest of the body is its index."""
    ivs = [f"%i{k}" for k in range(len(view.shape))]
    opened = [f"affine.for {iv} = 0 to {n} {{" for iv, n in zip(ivs, view.shape, strict=True)]
    inner = [
        line.replace("AT", ", ".join(ivs))
        for line in (f"{loaded} = affine.load {view.name}[AT] : {view.type()}", *body)
    ]
    return [*opened, *inner, *["}"] * len(ivs)]
