"""Removes unreachable blocks: MLIR's conversions leave them as they are, and then reject what is left."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir


def without_unreached(module: Any, text: str) -> None:
    """Removes unreachable blocks from the regions of a module, which is printed as `text`."""
    if "^bb" not in text:
        return
    while (found := _first(module)) is not None:
        region, dead = found
        with region.owner.location:
            aside = IR.Operation.create("builtin.unrealized_conversion_cast", regions=1)
        while dead:
            dead.pop().append_to(aside.regions[0])
        del region, dead, found  # the bindings must not know what is in ops that are erased
        aside.erase()


def _first(module: Any) -> tuple[Any, list[Any]] | None:
    """The first region with unreachable blocks, outer ones first, and these blocks."""
    found: list[tuple[Any, list[Any]]] = []

    def visit(op: Any) -> Any:
        found.extend((region, dead) for region in op.regions if (dead := _unreached(region)))
        return IR.WalkResult.INTERRUPT if found else IR.WalkResult.ADVANCE

    module.operation.walk(visit, IR.WalkOrder.PRE_ORDER)
    return found[0] if found else None


def _unreached(region: Any) -> list[Any]:
    blocks = list(region.blocks)
    if len(blocks) < 2:
        return []
    reached, stack = {blocks[0]}, blocks[:1]
    while stack:
        fresh = set(stack.pop().successors) - reached
        reached |= fresh
        stack.extend(fresh)
    return [block for block in blocks if block not in reached]
