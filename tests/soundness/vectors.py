"""Random functions on vectors: reads and writes past the end, masks, elements moved, reductions, loops and branches."""

from __future__ import annotations

import re
from random import Random

TYPES = {
    "f": "f32",
    "Q": "vector<4xf32>",
    "V": "vector<8xf32>",
    "W": "vector<4x8xf32>",
    "T": "vector<8x4xf32>",
    "M": "vector<8xi1>",
    "N": "vector<4x8xi1>",
}
"""What values there are, by letter."""

A, B, D = "memref<4x8xf32>", "memref<16xf32>", "memref<?x?xf32>"
HEAD = f"func.func @f(%A: {A}, %B: {B}, %O: {A}, %D: {D}, %n: index, %x: f32)"
MOVED = "permutation_map = affine_map<(d0, d1) -> (d1, d0)>"

CONTRACTED = ", ".join(f"affine_map<(i, k) -> ({dims})>" for dims in ("i, k", "k", "i"))

MAKE = {
    "V": (
        "vector.load %B[$i] : {B}, {V}",
        "vector.transfer_read %B[$j], %x : {B}, {V}",
        "vector.transfer_read %B[$j], %x, $M : {B}, {V}",
        "vector.transfer_read %D[$i, $i], %x {{permutation_map = affine_map<(d0, d1) -> (d0)>}} : {D}, {V}",
        "vector.transfer_read %D[$i, $j], %x {{permutation_map = affine_map<(d0, d1) -> (d1)>}} : {D}, {V}",
        "vector.transfer_read %A[$i, $i], %x {{in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>}} "
        ": {A}, {V}",
        "vector.maskedload %B[$i], $M, $V : {B}, {M}, {V} into {V}",
        "vector.gather %B[$i] [$indices], $M, $V : {B}, vector<8xindex>, {M}, {V} into {V}",
        "arith.addf $V, $V : {V}",
        "arith.maximumf $V, $V : {V}",
        "arith.select $M, $V, $V : {M}, {V}",
        "vector.fma $V, $V, $V : {V}",
        "vector.extract $W[#4] : {V} from {W}",
        "vector.insert $f, $V[#8] : f32 into {V}",
        "vector.interleave $Q, $Q : {Q} -> {V}",
        "vector.shuffle $V, $V [#16, #16, #16, #16, #16, #16, #16, #16] : {V}, {V}",
        "vector.broadcast $f : f32 to {V}",
        "vector.multi_reduction <add>, $W, $V [0] : {W} to {V}",
        "vector.extract $W[$i] : {V} from {W}",
        "vector.mask $N {{ vector.multi_reduction <add>, $W, $V [0] : {W} to {V} }} : {N} -> {V}",
        "vector.insert $f, $V[$i] : f32 into {V}",
    ),
    "W": (
        "vector.transfer_read %A[%c0, %c0], %x {{in_bounds = [true, true]}} : {A}, {W}",
        "vector.transfer_read %D[$i, $i], %x : {D}, {W}",
        "vector.transfer_read %D[$i, $i], %x {{" + MOVED + "}} : {D}, {W}",
        "vector.transfer_read %D[%c0, $i], %x, $N : {D}, {W}",
        "arith.subf $W, $W : {W}",
        "vector.insert $V, $W[#4] : {V} into {W}",
        "vector.insert_strided_slice $Q, $W {{offsets = [#4, #5], strides = [1]}} : {Q} into {W}",
        "vector.shape_cast $T : {T} to {W}",
        "vector.broadcast $V : {V} to {W}",
        "vector.shuffle $W, $W [#8, #8, #8, #8] : {W}, {W}",
        "vector.outerproduct $Q, $V, $W {{kind = #vector.kind<add>}} : {Q}, {V}",
        "vector.insert $V, $W[$i] : {V} into {W}",
    ),
    "T": ("vector.transpose $W, [1, 0] : {W} to {T}",),
    "Q": (
        "vector.extract_strided_slice $V {{offsets = [#5], sizes = [4], strides = [1]}} : {V} to {Q}",
        "vector.multi_reduction <maximumf>, $W, $Q [1] : {W} to {Q}",
        "vector.contract {{indexing_maps = [" + CONTRACTED + '], iterator_types = ["parallel", "reduction"]}} '
        "$W, $V, $Q : {W}, {V} into {Q}",
    ),
    "M": (
        "vector.create_mask $j : {M}",
        "vector.constant_mask [#9] : {M}",
        "arith.cmpf olt, $V, $V : {V}",
        "arith.constant dense<[true, false, true, true, false, false, true, true]> : {M}",
    ),
    "N": ("vector.create_mask $j, $j : {N}",),
    "f": (
        "vector.extract $W[#4, #8] : f32 from {W}",
        "vector.extract $W[$i, $i] : f32 from {W}",
        "vector.reduction <add>, $V, $f : {V} into f32",
        "vector.reduction <minimumf>, $V : {V} into f32",
        "vector.mask $M {{ vector.reduction <add>, $V, $f : {V} into f32 }} : {M} -> f32",
    ),
}
"""Ops by the letter of what they make. `$V` is a value, `$i` an index, `$j` one that may be anywhere, `#4` a number
below 4."""

WRITE = (
    "vector.store $V, %O[$i, %c0] : {A}, {V}",
    "vector.transfer_write $V, %O[$i, $j] : {V}, {A}",
    "vector.transfer_write $W, %D[$i, $i] : {W}, {D}",
    "vector.transfer_write $W, %D[$i, $i] {{" + MOVED + "}} : {W}, {D}",
    "vector.transfer_write $V, %B[$i], $M : {V}, {B}",
    "vector.maskedstore %B[$i], $M, $V : {B}, {M}, {V}",
    "memref.store $f, %A[$i, $i] : {A}",
)


class Writer:
    """Writes ops; `values` are those in scope, by letter."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0
        self.values: dict[str, list[str]] = {letter: [] for letter in TYPES}
        self.values["f"].append("%x")
        self.indices = ["%c0", "%c1", "%c2", "%c3"]
        for letter, text in (("V", "vector.load %B[%c0] : {B}, {V}"), ("M", "vector.constant_mask [5] : {M}")):
            self.emit(letter, text)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def pick(self, letter: str) -> str:
        """One of the values, the later ones more often."""
        values = self.values[letter]
        if not values:
            self.emit(letter, MAKE[letter][0])
        return values[-1] if self.random.random() < 0.5 else self.random.choice(values)

    def fill(self, text: str) -> str:
        """A template with values, indices and numbers."""

        def choose(match: re.Match[str]) -> str:
            match match[0]:
                case "$i":
                    return self.random.choice(self.indices)
                case "$j":
                    return self.random.choice([*self.indices, "%n", "%c9"])
                case "$indices":
                    return self.indices_of_lanes()
                case word if word[0] == "#":
                    return str(self.random.randrange(int(word[1:])))
                case word:
                    return self.pick(word[1])

        return re.sub(r"\$indices|\$[a-zA-Z]|#\d+", choose, text.format(A=A, B=B, D=D, **TYPES))

    def indices_of_lanes(self) -> str:
        name = self.fresh()
        lanes = ", ".join(str(self.random.randrange(12)) for _ in range(8))
        self.lines.append(f"{name} = arith.constant dense<[{lanes}]> : vector<8xindex>")
        return name

    def emit(self, letter: str, text: str) -> None:
        filled, name = self.fill(text), self.fresh()
        self.lines.append(f"{name} = {filled}")
        self.values[letter].append(name)

    def step(self, depth: int) -> None:
        """One op, or a loop or branch of some."""
        chosen = self.random.randrange(12)
        if chosen == 0 and depth < 2:
            self.loop(depth)
        elif chosen == 1 and depth < 2:
            self.branch(depth)
        elif chosen < 4:
            self.lines.append(self.fill(self.random.choice(WRITE)))
        else:
            letter = self.random.choice("VVVWWQMf")
            self.emit(letter, self.random.choice(MAKE[letter]))

    def scope(self) -> dict[str, int]:
        return {letter: len(values) for letter, values in self.values.items()}

    def close(self, sizes: dict[str, int]) -> None:
        for letter, size in sizes.items():
            del self.values[letter][size:]

    def loop(self, depth: int) -> None:
        letters = [self.random.choice("VWQ") for _ in range(self.random.randrange(1, 3))]
        first = [self.pick(letter) for letter in letters]
        sizes, iv, name = self.scope(), self.fresh(), self.fresh()
        carried = [self.fresh() for _ in letters]
        given = ", ".join(f"{a} = {b}" for a, b in zip(carried, first, strict=True))
        kinds = ", ".join(TYPES[letter] for letter in letters)
        bound = self.random.choice(["%c2", "%c3", "%n"])
        self.lines.append(
            f"{name}:{len(letters)} = scf.for {iv} = %c0 to {bound} step %c1 iter_args({given}) -> ({kinds}) {{"
        )
        for letter, value in zip(letters, carried, strict=True):
            self.values[letter].append(value)
        for _ in range(self.random.randrange(1, 4)):
            self.step(depth + 1)
        self.lines += [f"scf.yield {', '.join(self.pick(letter) for letter in letters)} : {kinds}", "}"]
        self.close(sizes)
        for k, letter in enumerate(letters):
            self.values[letter].append(f"{name}#{k}")

    def branch(self, depth: int) -> None:
        letter = self.random.choice("VW")
        self.pick(letter)
        flag, name = self.fresh(), self.fresh()
        self.lines.append(f"{flag} = arith.cmpf ogt, {self.pick('f')}, {self.pick('f')} : f32")
        self.lines.append(f"{name} = scf.if {flag} -> ({TYPES[letter]}) {{")
        for k in range(2):
            sizes = self.scope()
            for _ in range(self.random.randrange(1, 3)):
                self.step(depth + 1)
            self.lines += [f"scf.yield {self.pick(letter)} : {TYPES[letter]}", "}" if k else "} else {"]
            self.close(sizes)
        self.values[letter].append(name)


def program(random: Random, most: int = 12) -> str:
    """A function that reads and writes four memrefs, one of unknown extents."""
    writer = Writer(random)
    for _ in range(random.randrange(2, most)):
        writer.step(0)
    for write in (f"vector.transfer_write $V, %O[%c0, %c0] : {TYPES['V']}, {A}", WRITE[2].replace("$i", "%c0")):
        writer.lines.append(writer.fill(write))
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in (0, 1, 2, 3, 9))
    return "\n".join([HEAD + " {", constants, *writer.lines, "return", "}"])
