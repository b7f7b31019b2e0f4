"""Random programs of loops that stand in each other without a statement between, and of loops side by side with the
same bounds: what may be exchanged, fused, split, reversed, or done in any order, or may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

SQUARE: Final = "memref<?x?xi32>"
ROW: Final = "memref<?xi32>"
BOUNDS: Final = ("0 to 5", "0 to 4", "1 to 6", "0 to 6 step 2", "0 to %n", "0 to %m", "1 to %n", "0 to %n step 3")
STEPPED: Final = ("%c0 to %n step %c1", "%c1 to %c5 step %c1", "%c0 to %m step %c2", "%c0 to %c5 step %c1")
OPERATORS: Final = ("addi", "addi", "subi", "muli", "xori", "maxsi")
FLAGGED: Final = ("addi", "subi", "muli")
FLAGS: Final = (" overflow<nsw>", " overflow<nuw>", " overflow<nsw, nuw>")


@dataclass(slots=True)
class _Bands:
    random: Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self, letter: str = "v") -> str:
        self.count += 1
        return f"%{letter}{self.count}"

    def band(self, deep: int, bounds: list[str], affine: bool) -> None:
        """Loops one in the other, with the body in the innermost."""
        variables = [self.name("i") for _ in range(deep)]
        for variable, bound in zip(variables, bounds, strict=True):
            self.lines.append(f"{'affine' if affine else 'scf'}.for {variable} = {bound} {{")
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.update(variables, affine)
        self.lines += ["}"] * deep

    def update(self, variables: list[str], affine: bool) -> None:
        """What stands at some place is made of what stands at others: near ones, or those across the diagonal."""
        values = ["%x", *(self.load(variables, affine) for _ in range(self.random.choice((1, 2))))]
        for _ in range(self.random.choice((1, 1, 2))):
            made, operator = self.name(), self.random.choice(OPERATORS)
            flags = self.random.choice(FLAGS) if operator in FLAGGED and self.random.random() < 0.3 else ""
            first, second = values[-1], self.random.choice(values)
            self.lines.append(f"{made} = arith.{operator} {first}, {second}{flags} : i32")
            values.append(made)
        place, kind = self.place(variables, affine)
        self.lines.append(f"{self.verb(affine)}.store {values[-1]}, {place} : {kind}")

    def load(self, variables: list[str], affine: bool) -> str:
        made, (place, kind) = self.name(), self.place(variables, affine)
        self.lines.append(f"{made} = {self.verb(affine)}.load {place} : {kind}")
        return made

    def verb(self, affine: bool) -> str:
        return "affine" if affine else "memref"

    def place(self, variables: list[str], affine: bool) -> tuple[str, str]:
        used = [self.random.choice(variables), self.random.choice(variables)]
        if affine:
            used = [v + self.random.choice(("", "", "", " + 1", " + 2")) for v in used]
        if self.random.random() < 0.4:
            return f"%R[{used[0]}]", ROW
        return f"{self.random.choice(('%A', '%B'))}[{used[0]}, {used[1]}]", SQUARE


def program(random: Random) -> str:
    """A random function `@f` of a few bands, some of them twins."""
    made = _Bands(random)
    for _ in range(random.choice((1, 2, 2))):
        affine, deep = random.random() < 0.75, random.choice((1, 2, 2, 3))
        bounds = [random.choice(BOUNDS if affine else STEPPED) for _ in range(deep)]
        for _ in range(random.choice((1, 2, 2))):
            made.band(deep, bounds, affine)
    head = f"func.func @f(%A: {SQUARE}, %B: {SQUARE}, %R: {ROW}, %x: i32, %n: index, %m: index) {{"
    constants = [f"%c{value} = arith.constant {value} : index" for value in (0, 1, 2, 5)]
    return "\n".join([head, *constants, *made.lines, "return", "}", ""])
