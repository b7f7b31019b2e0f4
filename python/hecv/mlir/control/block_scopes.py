"""Scopes: where each block of a control flow graph stands in the statement tree, and which values are in scope."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from hecv.mlir.control.cfg_structuring import Guarded, Item, Repeat, Shape, Visit


class Places:
    """The place of each block in the tree: nested statement lists, and the list around each."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._list: dict[int, int] = {}
        self._around = [-1]
        self._loops: dict[int, set[int]] = {}
        self._walk(items, 0, [])

    def _open(self, around: int) -> int:
        self._around.append(around)
        return len(self._around) - 1

    def _walk(self, items: Sequence[Item], here: int, loops: list[int]) -> None:
        for item in items:
            match item:
                case Visit(block=number, inline=inline):
                    self._list[number] = here
                    for header in loops:
                        self._loops[header].add(number)
                    for inner in inline.values():
                        self._walk(inner, self._open(here), loops)
                case Guarded():
                    self._walk(item.items, self._open(here), loops)
                case Repeat(header=header):
                    self._loops[header] = set()
                    before = self._open(here)
                    if item.shape is Shape.WHILE:
                        head, *rest = item.items
                        assert isinstance(head, Visit)
                        self._walk([Visit(header, {})], before, [*loops, header])
                        after = self._open(before)
                        for inner in head.inline.values():
                            self._walk(inner, after, [*loops, header])
                        self._walk(rest, after, [*loops, header])
                    else:
                        self._walk(item.items, before, [*loops, header])

    def has(self, number: int) -> bool:
        """True if the block is reachable."""
        return number in self._list

    def is_outermost(self, number: int) -> bool:
        """True if the block is in no branch and no loop."""
        return self._list[number] == 0

    def inside(self, header: int, number: int) -> bool:
        """True if `header` is a loop header and the block is in its loop."""
        return number in self._loops.get(header, ())

    def shows(self, owner: int, number: int) -> bool:
        """True if values defined in block `owner` are in scope in block `number`, which it dominates."""
        here = self._list[number]
        while here >= 0:
            if here == self._list[owner]:
                return True
            here = self._around[here]
        return False


def defined(block: ir.Block) -> list[ir.Value]:
    """The values that a block defines, without those of nested regions."""
    return [*block.arguments, *(r for op in block.operations for r in op.operation.results)]


def used(block: ir.Block) -> list[ir.Value]:
    """The values that the ops of a block use, nested regions included."""
    found: dict[ir.Value, None] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.update(dict.fromkeys(op.operands))
        return ir.WalkResult.ADVANCE

    for op in block.operations:
        op.operation.walk(visit)
    return list(found)
