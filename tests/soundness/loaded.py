"""Random functions whose extents and bounds are read from memory or from memrefs: loops as far as a loaded size, memory
of a loaded size, slices of it, extents of zero and memrefs of rank 0, under `affine.if`, `min` and `max`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

SIZES = "memref<4xindex>"
KINDS = ("i32", "f32", "i8")
LARGEST = 6
"""A loaded size that is clamped is at most so."""
DEEPEST = 3
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Array:
    """A memref of rank 1 or 0; `size` is the value of its extent, or the text of a number."""

    name: str
    type: str
    size: str


@dataclass(slots=True)
class Writer:
    """Writes statements; `sizes` are values that hold for the whole function, `ivs` those of loops around."""

    random: Random
    kind: str
    lines: list[str] = field(default_factory=list[str])
    count: int = 0
    sizes: list[str] = field(default_factory=list[str])
    ivs: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    arrays: list[Array] = field(default_factory=list[Array])
    values: list[str] = field(default_factory=list[str])

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def emit(self, text: str, stem: str = "v") -> str:
        name = self.fresh(stem)
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value: int) -> str:
        return self.emit(f"arith.constant {value} : index", "c")

    # Sizes.

    def size(self) -> str:
        """A size that is loaded, an extent, an argument or what is computed of two of them."""
        roll = self.random.random()
        if roll < 0.5 or not self.sizes:
            loaded = self.emit(f"memref.load %S[{self.constant(self.random.randrange(4))}] : {SIZES}")
            if self.random.random() < 0.2:
                return loaded
            least = self.emit(f"arith.maxsi {loaded}, {self.constant(0)} : index")
            return self.emit(f"arith.minsi {least}, {self.constant(LARGEST)} : index")
        if roll < 0.65:
            array = self.random.choice([a for a in self.arrays if "x" in a.type])
            return self.emit(f"memref.dim {array.name}, {self.constant(0)} : {array.type}")
        left, right = self.random.choice(self.sizes), self.random.choice(self.sizes)
        if roll < 0.8:
            return self.emit(f"arith.{self.random.choice(('minsi', 'maxsi', 'minui', 'addi'))} {left}, {right} : index")
        how = self.random.choice(("s0 floordiv 2", "s0 + 1", "s0 mod 3", "s0 ceildiv 2", "s0 - s1"))
        return self.emit(f"affine.apply affine_map<()[s0, s1] -> ({how})>()[{left}, {right}]")

    # Memory.

    def allocate(self) -> None:
        """Memory of some size, mostly filled."""
        name, op = self.fresh("t"), self.random.choice(("alloc", "alloca"))
        roll = self.random.random()
        if roll < 0.2:
            array = Array(name, f"memref<{self.kind}>", "")
            self.lines.append(f"{name} = memref.{op}() : {array.type}")
        elif roll < 0.3:
            array = Array(name, f"memref<0x{self.kind}>", "0")
            self.lines.append(f"{name} = memref.{op}() : {array.type}")
        else:
            size = self.random.choice(self.sizes)
            array = Array(name, f"memref<?x{self.kind}>", size)
            self.lines.append(f"{name} = memref.{op}({size}) : {array.type}")
        if self.random.random() < 0.9:
            self.fill(array)
        self.arrays.append(array)

    def slice(self) -> None:
        """A view of part of a memref, whose extent is a size."""
        array = self.random.choice([a for a in self.arrays if "?x" in a.type and "strided" not in a.type])
        size, first = self.random.choice(self.sizes), self.random.choice(("0", "1", self.random.choice(self.sizes)))
        if self.random.random() < 0.7:
            extent = self.emit(f"memref.dim {array.name}, {self.constant(0)} : {array.type}")
            size = self.emit(f"arith.minsi {size}, {extent} : index")
            first = "0"
        name = self.fresh("w")
        offset = "" if first == "0" else f", offset: {first if first == '1' else '?'}"
        kind = f"memref<?x{self.kind}, strided<[1]{offset}>>"
        self.lines.append(f"{name} = memref.subview {array.name}[{first}] [{size}] [1] : {array.type} to {kind}")
        self.arrays.append(Array(name, kind, size))

    def fill(self, array: Array) -> None:
        value = self.value()
        if not array.size:
            self.lines.append(f"memref.store {value}, {array.name}[] : {array.type}")
            return
        iv = self.fresh("i")
        self.lines += [
            f"affine.for {iv} = 0 to {array.size} {{",
            f"affine.store {value}, {array.name}[{iv}] : {array.type}",
            "}",
        ]

    def place(self, array: Array) -> str:
        """A subscript, in bounds where the loop around is as long as the memref."""
        if not array.size:
            return ""
        names = [iv for iv, _ in self.ivs]
        if not names or self.random.random() < 0.1:
            return self.constant(self.random.randrange(2))
        return self.random.choice(names)

    # Values and statements.

    def value(self) -> str:
        roll = self.random.random()
        if self.values and roll < 0.35:
            return self.random.choice(self.values[-3:])
        if roll < 0.75:
            array = self.random.choice(self.arrays)
            made = (
                self.emit(f"memref.load {array.name}[{self.place(array)}] : {array.type}")
                if self.ivs or not array.size
                else ""
            )
            if made:
                self.values.append(made)
                return made
        if self.kind != "f32" and self.ivs and roll < 0.85:
            return self.emit(f"arith.index_castui {self.random.choice(self.ivs)[0]} : index to {self.kind}")
        number = self.random.choice((0, 1, 3))
        return self.emit(f"arith.constant {number}{'.0' if self.kind == 'f32' else ''} : {self.kind}")

    def store(self) -> None:
        op = self.random.choice(("addf", "mulf") if self.kind == "f32" else ("addi", "xori", "muli"))
        value = self.emit(f"arith.{op} {self.value()}, {self.value()} : {self.kind}")
        array = self.random.choice(self.arrays)
        self.lines.append(f"memref.store {value}, {array.name}[{self.place(array)}] : {array.type}")

    def statement(self, depth: int) -> None:
        roll = self.random.random()
        if len(self.lines) > MOST_LINES or depth > DEEPEST:
            self.store()
        elif roll < 0.35 and (depth or self.random.random() < 0.9):
            self.loop(depth)
        elif roll < 0.5:
            self.branch(depth)
        elif roll < 0.6 and not depth:
            self.allocate()
        elif roll < 0.68 and not depth:
            self.slice()
        elif roll < 0.75:
            self.turns()
        else:
            self.store()

    @contextmanager
    def region(self) -> Iterator[None]:
        sizes = [(part, len(part)) for part in (self.values, self.ivs, self.arrays)]
        yield
        for part, size in sizes:
            del part[size:]
        self.lines.append("}")

    def loop(self, depth: int) -> None:
        size, other, iv = self.random.choice(self.sizes), self.random.choice(self.sizes), self.fresh("i")
        way = self.random.randrange(5)
        if way == 0:
            head = f"affine.for {iv} = 0 to {size} {{"
        elif way == 1:
            head = f"affine.for {iv} = 0 to min affine_map<()[s0, s1] -> (s0, s1, 5)>()[{size}, {other}] {{"
        elif way == 2:
            low = f"max affine_map<()[s0] -> (s0 - 3, 0)>()[{other}]"
            head = f"affine.for {iv} = {low} to {size} {{"
        else:
            unsigned = " unsigned" if way == 4 else ""
            first, step = self.constant(self.random.choice((0, 0, 1))), self.constant(self.random.choice((1, 1, 2)))
            head = f"scf.for{unsigned} {iv} = {first} to {size} step {step} {{"
        self.lines.append(head)
        with self.region():
            self.ivs.append((iv, way < 3))
            for _ in range(self.random.choice((1, 1, 2))):
                self.statement(depth + 1)

    def branch(self, depth: int) -> None:
        size, other = self.random.choice(self.sizes), self.random.choice(self.sizes)
        affine = [iv for iv, of_affine in self.ivs if of_affine]
        if affine and self.random.random() < 0.7:
            test = self.random.choice(
                ("s0 - d0 - 1 >= 0", "s0 - s1 >= 0, d0 - 1 >= 0", "d0 - s1 == 0", "s0 - d0 * 2 >= 0")
            )
            head = f"affine.if affine_set<(d0)[s0, s1] : ({test})>({self.random.choice(affine)})[{size}, {other}] {{"
        else:
            predicate = self.random.choice(("slt", "ult", "eq", "sge"))
            condition = self.emit(f"arith.cmpi {predicate}, {size}, {other} : index")
            head = f"scf.if {condition} {{"
        self.lines.append(head)
        with self.region():
            self.statement(depth + 1)
        if self.random.random() < 0.4:
            self.lines[-1] = "} else {"
            with self.region():
                self.statement(depth + 1)

    def turns(self) -> None:
        """A while loop up to a size that is loaded again at each turn, or not."""
        zero, one, at, turn = self.constant(0), self.constant(1), self.fresh("i"), self.fresh("i")
        name, test, after = self.fresh("r"), self.fresh("p"), self.fresh("n")
        size = self.random.choice(self.sizes)
        self.lines += [
            f"{name} = scf.while ({at} = {zero}) : (index) -> index {{",
            f"{test} = arith.cmpi {self.random.choice(('slt', 'ult'))}, {at}, {size} : index",
            f"scf.condition({test}) {at} : index",
            "} do {",
            f"^bb0({turn}: index):",
        ]
        with self.region():
            self.ivs.append((turn, False))
            self.store()
            self.lines += [f"{after} = arith.addi {turn}, {one} : index", f"scf.yield {after} : index"]


def program(random: Random) -> str:
    """A function of sizes in memory, memrefs of dynamic extents, of none and of rank 0, and an index."""
    kind = random.choice(KINDS)
    given = (("A", f"?x{kind}"), ("B", f"?x{kind}"), ("Z", f"0x{kind}"), ("R", kind))
    writer = Writer(random, kind)
    extents = {"A": "%dA", "B": "%dB", "Z": "0", "R": ""}
    writer.arrays = [Array(f"%{name}", f"memref<{text}>", extents[name]) for name, text in given]
    zero = writer.constant(0)
    for name in ("A", "B"):
        writer.lines.append(f"%d{name} = memref.dim %{name}, {zero} : memref<?x{kind}>")
    writer.sizes = ["%n", "%dA", "%dB"]
    writer.sizes += [writer.size() for _ in range(random.choice((1, 2, 3)))]
    for _ in range(random.randint(2, 5)):
        writer.statement(0)
    arguments = ", ".join(f"%{name}: memref<{text}>" for name, text in given)
    body = [*writer.lines, "return"]
    head = f"func.func @f(%S: {SIZES}, {arguments}, %n: index) {{"
    return "\n".join([head, *(f"  {line}" for line in body), "}", ""])
