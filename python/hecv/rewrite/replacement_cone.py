"""The meaning of an op that a rule introduces: the ops between its operands and the value that it replaces."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from hecv.mlir.ssa.ssa_graph import Meaning, Program


class NoMeaning(Exception):
    """The value is no function of the operands."""


class _Cone(Struct):
    program: Program
    operands: Sequence[int]
    block: int
    ops: dict[int, None] = field(default_factory=dict[int, None])
    inputs: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    wires: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict[tuple[int, int], tuple[int, int]])
    others: list[int] = field(default_factory=list[int])

    def gather(self, root: int) -> None:
        """Adds the op `root` and all below it, operands before users; not recursive, so depth is no limit."""
        waiting: list[tuple[int, bool]] = [(root, False)]
        while waiting:
            number, ready = waiting.pop()
            if number in self.ops:
                continue
            if ready:
                self.ops[number] = None
                continue
            self._require_function(number)
            waiting.append((number, True))
            waiting.extend((n, False) for n in reversed(self._makers(number)))

    def _makers(self, number: int) -> list[int]:
        """The ops inside that make the operands of an op; notes the operands that are given."""
        found: list[int] = []
        for position, value in enumerate(self.program.op(number).operands):
            if value in self.operands:
                self.inputs[number, position] = self.operands.index(value)
                continue
            made = self.program.value(value)
            if made.op is not None and self._is_inside(made.op):
                found.append(made.op)
                self.wires[number, position] = made.op, made.result
                continue
            if value not in self.others:
                self.others.append(value)
            self.inputs[number, position] = len(self.operands) + self.others.index(value)
        return found

    def _is_inside(self, number: int) -> bool:
        """Whether the op belongs to the match: it stands in the same block, or is a constant."""
        op = self.program.op(number)
        return op.block == self.block or (not op.operands and self.program.is_free(number))

    def _require_function(self, number: int) -> None:
        if not self.program.is_free(number):
            raise NoMeaning(f"`{self.program.op(number).name}` in the match may have effects")
        if self.program.captures(number):
            raise NoMeaning(f"a region of `{self.program.op(number).name}` in the match takes values from outside")


def cone(program: Program, root: int, operands: Sequence[int]) -> tuple[Meaning, tuple[int, ...]]:
    """The ops that make `root` from `operands`, and the other values that they take, which are numbered after these.

    Raises: NoMeaning if an op may be no function, or if the value is one of the operands.
    """
    maker = program.value(root).op
    if maker is None or root in operands:
        raise NoMeaning("the match is a single value")
    found = _Cone(program, operands, program.op(maker).block)
    found.gather(maker)
    return Meaning(tuple(found.ops), found.inputs, found.wires, root), tuple(found.others)


def shape(program: Program, meaning: Meaning) -> str:
    """A canonical text: equal for two meanings exactly if they are the same function."""
    position = {n: k for k, n in enumerate(meaning.ops)}
    lines: list[str] = []
    for number in meaning.ops:
        slots = range(len(program.op(number).operands))
        given = [meaning.inputs.get((number, slot)) for slot in slots]
        made = [meaning.wires.get((number, slot)) for slot in slots]
        wires = [None if w is None else (position[w[0]], w[1]) for w in made]
        lines.append(f"{program.written(number)} {given} {wires}")
    return "\n".join([*lines, str(program.value(meaning.root).result)])
