"""Splits long blocks, since LLVM's instruction selection is quadratic in the length of a block."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

LONG: Final = 2_000
"""Ops of a block, at least, for it to be split and its function compiled without optimisation."""

PIECE: Final = 50
"""Ops of a piece; instruction selection is quadratic in the length of a block."""


def cut(module: Any) -> None:
    """Splits the long blocks of a module in the LLVM dialect, in place, by a branch after each piece.

    The module computes the same. The functions concerned become `optnone`: the engine's optimisation level only applies
    to passes over LLVM IR, while code generation otherwise uses its default level.
    """
    for op in module.body.operations:
        if op.operation.name != "llvm.func":
            continue
        long = [block for region in op.regions for block in region.blocks if _is_long(block)]
        for block in long:
            _cut(block)
        if long:
            given = list(op.attributes["passthrough"]) if "passthrough" in op.attributes else []
            names = [IR.StringAttr.get(name, module.context) for name in ("noinline", "optnone")]
            op.attributes["passthrough"] = IR.ArrayAttr.get([*given, *names], module.context)


def _is_long(block: Any) -> bool:
    return sum(1 for _ in block.operations) >= LONG


def _cut(block: Any) -> None:
    ops = list(block.operations)
    pieces = [ops[start : start + PIECE] for start in range(PIECE, len(ops), PIECE)]
    blocks = [block]
    for piece in pieces:
        blocks.append(blocks[-1].create_after())
        for op in piece:
            blocks[-1].append(op)
    for before, rest, piece in zip(blocks, blocks[1:], pieces, strict=False):
        with piece[0].operation.location, IR.InsertionPoint(before):
            IR.Operation.create("llvm.br", successors=[rest])
