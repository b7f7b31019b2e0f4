"""Ops whose meaning is MLIR's own lowering of them."""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from hecv.base.term import literal
from hecv.mlir.read.function_reader import Meaning, Reader
from hecv.mlir.read.memref_views import Aggregate


def read_lowered(reader: Reader, op: ir.Operation, lower: Callable[[ir.Module], None], shaped: bool = False) -> None:
    """Reads an op as the ops that `lower` makes of it, in a function of its operands in a module of its own.

    `shaped`: it is an op on tensors whose results have the types of its last operands. It is lowered with the extents
    that are known, whether or not its types have them: MLIR's lowering of dynamic shapes may be another, and wrong.

    Raises: Unsupported if an op of that name is left.
    """
    body = _lowered(reader, op, lower, shaped)
    for parameter, value in zip(body.arguments, op.operands, strict=True):
        reader.bind(parameter, reader.value(value))
    *inner, end = (view.operation for view in body.operations)
    if any(made.name == op.name for made in inner):
        reader.reject(op, "MLIR does not lower it")
    outer = reader.enter(op)
    reader.read_block(body)
    outer.extend(reader.leave(outer))
    for result, value in zip(op.results, end.operands, strict=True):
        reader.bind(result, reader.value(value))


def known_types(reader: Reader, op: ir.Operation) -> list[ir.Type]:
    """The types of the operands, with the extents that are known."""
    return [_known(v.type, reader.value(v)) for v in op.operands]


def _known(kind: ir.Type, value: Meaning) -> ir.Type:
    if not isinstance(kind, ir.RankedTensorType) or not isinstance(value, Aggregate):
        return kind
    extents = [literal(extent) for extent in value.extents[: kind.rank]]
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [dynamic if e is None else int(e) for e in extents]
    return ir.RankedTensorType.get(shape, kind.element_type, kind.encoding)


def _lowered(reader: Reader, op: ir.Operation, lower: Callable[[ir.Module], None], shaped: bool) -> ir.Block:
    """The body of a function of the operands that returns what MLIR makes of the op."""
    types, results = [v.type for v in op.operands], [r.type for r in op.results]
    if shaped:
        with op.context, op.location:
            types = known_types(reader, op)
        results = types[len(types) - len(results) :]
    with op.context, op.location:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.TypeAttr.get(ir.FunctionType.get(types, results))
            attributes = {"sym_name": ir.StringAttr.get("named"), "function_type": kind}
            function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        entry = ir.Block.create_at_start(function.regions[0], types, [op.location] * len(types))
        with ir.InsertionPoint(entry):
            given, attributes = list(entry.arguments), dict(op.attributes.items())
            copy = ir.Operation.create(op.name, results, given, attributes) if shaped else op.clone().operation
            for number, argument in enumerate(given):
                copy.operands[number] = argument
            ir.Operation.create("func.return", operands=list(copy.results))
        try:
            lower(module)
        except (ir.MLIRError, ValueError, RuntimeError):
            reader.reject(op, "MLIR does not lower it")
    reader.generalized.append(module)
    return entry
