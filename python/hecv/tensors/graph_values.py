"""The values that ops of a graph of tensors read."""

from __future__ import annotations

from collections.abc import Iterator

from hecv.tensors.tensor_graph import Node, Operand, Ref


def refs_in(operand: Operand) -> Iterator[str]:
    """The names of values in an operand, also in lists."""
    if isinstance(operand, Ref):
        yield operand.name
    elif isinstance(operand, tuple):
        for part in operand:
            yield from refs_in(part)


def operands_of(node: Node) -> tuple[str, ...]:
    """The values that a node reads, in order."""
    found: list[str] = []
    for operand in (*node.operands, *node.keywords.values()):
        if isinstance(operand, Ref):
            found.append(operand.name)
        elif isinstance(operand, tuple):
            found += refs_in(operand)
    return tuple(found)
