"""Effects of an op, as MLIR knows them: found by running MLIR's passes, since the bindings cannot ask an op.

`cse` drops the second of two equal ops across an unknown effect exactly if the op has no memory effects, reads
included; `loop-invariant-code-motion` hoists an op out of a loop exactly if it may also be speculated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

_CSE: Final = "builtin.module(func.func(cse))"
_HOIST: Final = "builtin.module(func.func(loop-invariant-code-motion))"


class Purity:
    """Answers about the ops of one context; each kind of op is tested once."""

    def __init__(self, context: ir.Context) -> None:
        self._context = context
        self._managers: dict[str, PassManager] = {}
        self._free: dict[tuple[object, ...], bool] = {}
        self._speculatable: dict[tuple[object, ...], bool] = {}

    def is_free(self, op: ir.Operation) -> bool:
        """True if the op has no memory effects, reads included, as far as MLIR knows."""
        return self._known(self._free, op, _CSE, lambda body: _count(body, op.name) == 1)

    def is_speculatable(self, op: ir.Operation) -> bool:
        """True if the op may run where the program does not run it: MLIR knows that it has no effects and is total."""
        return self._known(self._speculatable, op, _HOIST, lambda body: _count(body, op.name) == 0)

    def _known(
        self, answers: dict[tuple[object, ...], bool], op: ir.Operation, passes: str, holds: Callable[[ir.Block], bool]
    ) -> bool:
        if len(op.successors) or not len(op.results):
            return False
        key = _kind(op)
        if key not in answers:
            answers[key] = self._ask(op, passes, holds)
        return answers[key]

    def _ask(self, op: ir.Operation, passes: str, holds: Callable[[ir.Block], bool]) -> bool:
        with self._context, ir.Location.unknown():
            module, body = _probe(op, twice=passes == _CSE)
            if passes not in self._managers:
                self._managers[passes] = PassManager.parse(passes)
            try:
                self._managers[passes].run(module.operation)
            except ir.MLIRError:
                return False
            return holds(body)


def free_values(op: ir.Operation) -> tuple[ir.Value, ...]:
    """The operands of `op`, then the values that its regions capture, each once."""
    return tuple(dict.fromkeys((*op.operands, *captured_values(op))))


def captured_values(op: ir.Operation) -> tuple[ir.Value, ...]:
    """The values that the regions of `op` capture, each once."""
    found: dict[ir.Value, None] = {}
    inside: set[ir.Value] = set()
    for inner in _nested(op, inside):
        found |= dict.fromkeys(v for v in inner.operands if v not in inside)
    return tuple(found)


def outside_uses(op: ir.Operation) -> Iterator[tuple[int, tuple[ir.Operation, int, ir.Value]]]:
    """The uses of captured values in the regions of `op`: (op, operand number, value), each with the op's number in
    `inner_ops`, counted from 1."""
    inside: set[ir.Value] = set()
    for number, inner in enumerate(_nested(op, inside), 1):
        for position, value in enumerate(inner.operands):
            if value not in inside:
                yield number, (inner, position, value)


def inner_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    """The ops in the regions of `op`, outer before inner."""
    return _nested(op, set())


def _nested(op: ir.Operation, inside: set[ir.Value]) -> Iterator[ir.Operation]:
    """The ops in the regions of `op`, outer before inner; values that they and their blocks define are added to
    `inside`."""
    blocks = [block for region in op.regions for block in region.blocks]
    for block in blocks:
        inside.update(block.arguments)
        for view in block.operations:
            inside.update(view.operation.results)
    for block in blocks:
        for view in block.operations:
            yield view.operation
            yield from _nested(view.operation, inside)


def _kind(op: ir.Operation) -> tuple[object, ...]:
    """Everything that an op's effects may depend on, except operand values. An op with regions is a kind of its own."""
    if len(op.regions) and any(len(region.blocks) for region in op.regions):
        return (op,)
    attributes = tuple(readable(op).items())
    return op.name, attributes, tuple(v.type for v in op.operands), tuple(r.type for r in op.results)


def readable(op: ir.Operation) -> dict[str, ir.Attribute]:
    """The attributes of an op, without those for which the bindings have no class: locations, which mean nothing."""
    found: dict[str, ir.Attribute] = {}
    for name in op.attributes:
        with contextlib.suppress(TypeError):
            found[name] = op.attributes[name]
    return found


def _count(block: ir.Block, name: str) -> int:
    return sum(view.operation.name == name for view in block.operations)


def _probe(op: ir.Operation, twice: bool) -> tuple[ir.Module, ir.Block]:
    """A function with a copy of `op` in a loop, or with two copies around an op of unknown effects; and the block of
    the copies."""
    values = free_values(op)
    index = ir.IndexType.get()
    types = [index, index, index, *(v.type for v in values)]
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kind = ir.TypeAttr.get(ir.FunctionType.get(types, []))
        attributes = {"sym_name": ir.StringAttr.get("probe"), "function_type": kind}
        function = ir.Operation.create("func.func", attributes=attributes, regions=1)
    entry = ir.Block.create_at_start(function.regions[0], types, [ir.Location.unknown()] * len(types))
    bounds, arguments = entry.arguments[:3], entry.arguments[3:]
    place = dict(zip(values, arguments, strict=True))
    with ir.InsertionPoint(entry):
        if twice:
            for _ in range(2):
                _copy(op, place)
                ir.Operation.create("hecv.effect")
            ir.Operation.create("func.return")
            return module, entry
        loop = ir.Operation.create("scf.for", operands=list(bounds), regions=1)
        ir.Operation.create("func.return")
    body = ir.Block.create_at_start(loop.regions[0], [index], [ir.Location.unknown()])
    with ir.InsertionPoint(body):
        _copy(op, place)
        ir.Operation.create("scf.yield")
    return module, body


def _copy(op: ir.Operation, place: dict[ir.Value, ir.Value]) -> None:
    copy = op.clone().operation
    inside: set[ir.Value] = set()
    for inner in (copy, *_nested(copy, inside)):
        for number, value in enumerate(inner.operands):
            if value in place:
                inner.operands[number] = place[value]
    # Results that nothing uses would let the op go whatever it does.
    ir.Operation.create("hecv.use", operands=list(copy.results))
