"""Random programs on flat buffers of rows whose length is not known, each written in two ways that compute the same:
nests in either order, one loop over all elements whose variable is divided by the length of a row, loops over the
places of a row, strips of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

FLAT, TWO = "memref<?xi32>", "memref<?x?xi32>"
SIGNS = ((), ("n",), ("m",), ("n", "m"), ("n", "m"))
"""Sizes that an assertion says are not negative."""
BUFFERS = ("%F", "%G", "%T")
NESTS = ("ij", "ji", "row", "strips")
DIVISIONS = (("arith.divsi", "arith.remsi"), ("arith.divui", "arith.remui"), ("affine", ""))


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows and columns lie in a buffer: rows, or else `columns`, are `stride` elements apart."""

    stride: str
    columns: bool = False


LAYOUTS = (Layout("%m"), Layout("%m"), Layout("%m"), Layout("%m1"), Layout("%n", columns=True))


@dataclass(frozen=True, slots=True)
class Place:
    """The element of a buffer for a row and a column, or for the column that mirrors it."""

    buffer: str
    layout: Layout
    mirrored: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What is done for each row and column: `into = from op operand`, or `into = into op from`, a sum of a row where
    `into` is no place."""

    source: Place | None
    into: Place | None
    op: str
    again: bool


def pair(random: Random) -> tuple[str, str]:
    """A program, and another one that computes the same."""
    known = random.choice(SIGNS)
    laid_out = {buffer: random.choice(LAYOUTS) for buffer in BUFFERS}
    steps = [_step(random, laid_out) for _ in range(random.randint(1, 3))]
    size = "%nm1" if laid_out["%T"].stride == "%m1" else random.choice(("%nm", "%nm", "%nm1"))
    texts: list[str] = []
    for _ in range(2):
        ways = (*NESTS, "flat", "flat") if len(known) == 2 else NESTS
        texts.append(_text(steps, known, size, [random.choice(ways) for _ in steps], random))
    return texts[0], texts[1]


def _step(random: Random, laid_out: dict[str, Layout]) -> Step:
    op = random.choice(("addi", "xori", "muli", "maxsi"))
    source = None if random.random() < 0.4 else _place(random, laid_out)
    into = None if random.random() < 0.15 else _place(random, laid_out)
    if source is not None and into is not None and source.buffer == into.buffer:
        source = into  # an element that another turn writes would be read before or after it
    return Step(source, into, op, random.random() < 0.5)


def _place(random: Random, laid_out: dict[str, Layout]) -> Place:
    buffer = random.choice(BUFFERS)
    layout = random.choice(LAYOUTS) if random.random() < 0.1 else laid_out[buffer]
    mirrored = not layout.columns and random.random() < 0.2
    return Place(buffer, layout, mirrored)


class Writer:
    """Writes one of the programs."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%e{self.count}"

    def emit(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def position(self, place: Place, i: str, j: str) -> str:
        """Where an element is in its buffer."""
        if place.layout.columns:
            i, j = j, i
        if place.mirrored:
            rest = self.emit(f"arith.subi %m, {j} : index")
            j = self.emit(f"arith.subi {rest}, %one : index")
        if self.random.random() < 0.5:
            return self.emit(f"affine.apply affine_map<(i, j)[s] -> (i * s + j)>({i}, {j})[{place.layout.stride}]")
        row = self.emit(f"arith.muli {i}, {place.layout.stride} : index")
        return self.emit(f"arith.addi {row}, {j} : index")

    def step(self, step: Step, i: str, j: str) -> None:
        """What is done for one row and column."""
        if step.source is None:
            value = self.emit(f"memref.load %A[{i}, {j}] : {TWO}")
        else:
            value = self.emit(f"memref.load {step.source.buffer}[{self.position(step.source, i, j)}] : {FLAT}")
        buffer, at = ("%S", i) if step.into is None else (step.into.buffer, self.position(step.into, i, j))
        old = "%x"
        if step.again or step.into is None:
            old = self.emit(f"memref.load {buffer}[{at}] : {FLAT}")
        value = self.emit(f"arith.{step.op} {value}, {old} : i32")
        self.lines.append(f"memref.store {value}, {buffer}[{at}] : {FLAT}")

    def run(self, step: Step, way: str) -> None:
        """The loops over rows and columns."""
        self.count += 1
        i, j, k = (f"%{name}{self.count}" for name in "ijk")
        ends = ["}"]
        match way:
            case "ij":
                self.lines += [f"affine.for {i} = 0 to %n {{", f"affine.for {j} = 0 to %m {{"]
            case "ji":
                self.lines += [f"affine.for {j} = 0 to %m {{", f"affine.for {i} = 0 to %n {{"]
            case "strips":
                self.lines += [f"affine.for {i} = 0 to %n {{", f"affine.for {k} = 0 to %m step 3 {{"]
                last = f"min affine_map<(d)[s] -> (d + 3, s)>({k})[%m]"
                self.lines.append(f"affine.for {j} = affine_map<(d) -> (d)>({k}) to {last} {{")
            case "row":
                self.lines.append(f"scf.for {i} = %zero to %n step %one {{")
                first = self.emit(f"arith.muli {i}, %m : index")
                last = self.emit(f"arith.addi {first}, %m : index")
                self.lines += [
                    f"scf.for {k} = {first} to {last} step %one {{",
                    f"{j} = arith.subi {k}, {first} : index",
                ]
            case _:
                self.lines.append(f"affine.for {k} = 0 to %nm {{")
                self.divide(i, j, k)
                ends = []
        self.step(step, i, j)
        self.lines += [*ends, "}", *(["}"] if way == "strips" else [])]

    def divide(self, i: str, j: str, k: str) -> None:
        """The row and the column of an element."""
        quotient, rest = self.random.choice(DIVISIONS)
        if rest:
            self.lines += [f"{i} = {quotient} {k}, %m : index", f"{j} = {rest} {k}, %m : index"]
        else:
            for name, op in ((i, "floordiv"), (j, "mod")):
                self.lines.append(f"{name} = affine.apply affine_map<(d)[s] -> (d {op} s)>({k})[%m]")


def _text(steps: Sequence[Step], known: Sequence[str], size: str, ways: Sequence[str], random: Random) -> str:
    writer = Writer(random)
    for step, way in zip(steps, ways, strict=True):
        writer.run(step, way)
    signs = [line for name in known for line in _asserted(name)]
    used = any("%T[" in line for line in writer.lines)
    made = (f"%T = memref.alloc({size}) : {FLAT}", *FILLED) if used else ()
    head = f"func.func @f(%n: index, %m: index, %x: i32, %F: {FLAT}, %G: {FLAT}, %S: {FLAT}, %A: {TWO}) {{"
    return "\n".join([head, *CONSTANTS, *signs, *SIZES, *made, *writer.lines, "return", "}", ""])


CONSTANTS = ("%zero = arith.constant 0 : index", "%one = arith.constant 1 : index")
SIZES = (
    "%m1 = arith.addi %m, %one : index",
    "%nm = arith.muli %n, %m : index",
    "%nm1 = arith.muli %n, %m1 : index",
)
FILLED = (
    "affine.for %fi = 0 to %n {",
    "affine.for %fj = 0 to %m {",
    "%ft = affine.apply affine_map<(i, j)[s] -> (i * s + j)>(%fi, %fj)[%m]",
    f"memref.store %x, %T[%ft] : {FLAT}",
    "}",
    "}",
)


def _asserted(name: str) -> tuple[str, str]:
    return f"%p{name} = arith.cmpi sge, %{name}, %zero : index", f'cf.assert %p{name}, "a size"'
