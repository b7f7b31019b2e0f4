"""Random nests in bounds for sizes of any sign, and random chains of loop transformations for them.

Unlike `programs`, nests are what loop transformations are about: bounds of every kind, perfect and imperfect bodies,
guards, carried values, local buffers, updates in place. All of it is affine, so every verdict should be reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

SIZES = ("%n", "%m")
MOST_LINES = 20
"""About how many lines the outermost loops may have."""

SCALAR = (
    "affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll{unroll-factor=3}",
    "affine-loop-unroll-jam{unroll-jam-factor=2}",
    "affine-loop-tile{tile-size=3}",
    "affine-loop-tile{tile-size=4 separate}",
    "affine-loop-normalize",
    "affine-loop-coalescing",
    "affine-loop-fusion{maximal}",
    "affine-loop-invariant-code-motion",
    "affine-scalrep",
    "affine-simplify-structures",
    "test-affine-loop-unswitch",
    "canonicalize",
    "cse",
)
LOWERED = (
    "scf-for-loop-peeling",
    "scf-for-loop-canonicalization",
    "scf-for-loop-range-folding",
    "loop-invariant-code-motion",
    "test-loop-unrolling{unroll-factor=2 loop-depth=0}",
    "canonicalize",
    "cse",
)
ENDS = ("", "", "scf-for-to-while", "convert-scf-to-cf", "convert-scf-to-cf,canonicalize,lift-cf-to-scf")


@dataclass(slots=True)
class _Nest:
    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%x{self.count}"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def bounds(self, outer: list[str]) -> str:
        """Bounds that are constant, symbolic, extrema, or depend on an enclosing variable; they may cross."""
        size, other = self.random.choice(SIZES), self.random.choice(SIZES)
        choices = ["0 to 7", f"0 to {size}", f"1 to {size}", f"0 to {size} step 2"]
        choices.append(f"0 to min affine_map<()[s0, s1] -> (s0, s1 + 1)>()[{size}, {other}]")
        choices.append(f"max affine_map<()[s0] -> (s0 - 4, 0)>()[{other}] to {size}")
        if outer:
            near = self.random.choice(outer)
            choices.append(f"0 to affine_map<(d0) -> (d0 + 1)>({near})")
            choices.append(f"affine_map<(d0) -> (d0)>({near}) to {size}")
            band = f"min affine_map<(d0)[s0] -> (d0 + 3, s0)>({near})[{size}]"
            choices.append(f"max affine_map<(d0) -> (d0 - 2, 0)>({near}) to {band}")
        return self.random.choice(choices)

    def subscript(self, ivs: list[str]) -> str:
        """A subscript that is in bounds wherever the size of the loops' variables is: arrays are larger than that."""
        iv = self.random.choice(ivs)
        return self.random.choice((iv, iv, f"{iv} + 1", f"{iv} + 2"))

    def loop(self, ivs: list[str], depth: int) -> None:
        iv = f"%i{len(ivs)}_{self.count}"
        self.count += 1
        inner, carried = [*ivs, iv], self.random.random() < 0.25
        if carried:
            result, start = self.name(), self.name()
            self.emit(depth, f"{start} = arith.constant 1.0 : f32")
            head = f"{result} = affine.for {iv} = {self.bounds(ivs)} iter_args(%a{iv[1:]} = {start}) -> f32 {{"
            self.emit(depth, head)
            self.body(inner, depth + 1)
            value, total = self.read(inner, depth + 1), self.name()
            self.emit(depth + 1, f"{total} = arith.addf %a{iv[1:]}, {value} : f32")
            self.emit(depth + 1, f"affine.yield {total} : f32")
            self.emit(depth, "}")
            self.emit(depth, f"affine.store {result}, %R[0] : memref<1xf32>")
            return
        self.emit(depth, f"affine.for {iv} = {self.bounds(ivs)} {{")
        self.body(inner, depth + 1)
        self.emit(depth, "}")

    def body(self, ivs: list[str], depth: int) -> None:
        for _ in range(self.random.choice((1, 1, 2)) if len(self.lines) < MOST_LINES else 1):
            roll = self.random.random() if len(self.lines) < MOST_LINES else 1.0
            if roll < 0.45 and len(ivs) < 3:
                self.loop(ivs, depth)
            elif roll < 0.6:
                self.guarded(ivs, depth)
            elif roll < 0.7:
                self.buffered(ivs, depth)
            else:
                self.store(ivs, depth)

    def guarded(self, ivs: list[str], depth: int) -> None:
        iv, size = self.random.choice(ivs), self.random.choice(SIZES)
        test = self.random.choice(("d0 - 2 >= 0", "s0 - d0 - 3 >= 0", "s0 - 4 >= 0"))
        self.emit(depth, f"affine.if affine_set<(d0)[s0] : ({test})>({iv})[{size}] {{")
        self.store(ivs, depth + 1)
        if self.random.random() < 0.5:
            self.emit(depth, "} else {")
            self.store(ivs, depth + 1)
        self.emit(depth, "}")

    def buffered(self, ivs: list[str], depth: int) -> None:
        buffer, iv, value = self.name(), self.name(), self.name()
        self.emit(depth, f"{buffer} = memref.alloc() : memref<4xf32>")
        self.emit(depth, f"affine.for {iv} = 0 to 4 {{")
        read = self.read([*ivs, iv], depth + 1)
        self.emit(depth + 1, f"affine.store {read}, {buffer}[{iv}] : memref<4xf32>")
        self.emit(depth, "}")
        self.emit(depth, f"{value} = affine.load {buffer}[{self.random.randrange(4)}] : memref<4xf32>")
        self.emit(depth, f"affine.store {value}, %A[{self.subscript(ivs)}] : memref<?xf32>")
        self.emit(depth, f"memref.dealloc {buffer} : memref<4xf32>")

    def read(self, ivs: list[str], depth: int) -> str:
        value = self.name()
        if self.random.random() < 0.5:
            self.emit(depth, f"{value} = affine.load %A[{self.subscript(ivs)}] : memref<?xf32>")
        else:
            places = f"{self.subscript(ivs)}, {self.subscript(ivs)}"
            self.emit(depth, f"{value} = affine.load %B[{places}] : memref<?x?xf32>")
        return value

    def store(self, ivs: list[str], depth: int) -> None:
        left, right, value = self.read(ivs, depth), self.read(ivs, depth), self.name()
        self.emit(depth, f"{value} = arith.{self.random.choice(('addf', 'mulf', 'subf'))} {left}, {right} : f32")
        if self.random.random() < 0.5:
            self.emit(depth, f"affine.store {value}, %A[{self.subscript(ivs)}] : memref<?xf32>")
        else:
            places = f"{self.subscript(ivs)}, {self.subscript(ivs)}"
            self.emit(depth, f"affine.store {value}, %B[{places}] : memref<?x?xf32>")


def nest(seed: int) -> str:
    """A random function `@f` of one or two nests."""
    made = _Nest(Random(f"nest {seed}"))
    for _ in range(made.random.choice((1, 1, 2))):
        made.loop([], 1)
    head = "func.func @f(%A: memref<?xf32>, %B: memref<?x?xf32>, %R: memref<1xf32>, %n: index, %m: index) {"
    return "\n".join([head, *made.lines, "  return", "}", ""])


def transformations(seed: int) -> str:
    """A random chain, as a pipeline of a module: some passes on affine loops, mostly lowered after that."""
    random = Random(f"chain {seed}")
    parts = [f"func.func({random.choice(SCALAR)})" for _ in range(random.choice((1, 2, 3)))]
    if random.random() < 0.6:
        parts.append("func.func(lower-affine)")
        parts += [f"func.func({random.choice(LOWERED)})" for _ in range(random.choice((0, 1, 2)))]
        parts.append(random.choice(ENDS))
    return ",".join(filter(None, parts))
