"""Ops whose meaning is MLIR's own lowering of them."""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from hecv.mlir.read.function_reader import Reader


def read_lowered(reader: Reader, op: ir.Operation, lower: Callable[[ir.Module], None]) -> None:
    """Reads an op as the ops that `lower` makes of it, in a function of its operands in a module of its own.

    Raises: Unsupported if an op of that name is left.
    """
    body = _lowered(reader, op, lower)
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


def _lowered(reader: Reader, op: ir.Operation, lower: Callable[[ir.Module], None]) -> ir.Block:
    """The body of a function of the operands that returns what MLIR makes of the op."""
    types, results = [v.type for v in op.operands], [r.type for r in op.results]
    with op.context, op.location:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.TypeAttr.get(ir.FunctionType.get(types, results))
            attributes = {"sym_name": ir.StringAttr.get("named"), "function_type": kind}
            function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        entry = ir.Block.create_at_start(function.regions[0], types, [op.location] * len(types))
        with ir.InsertionPoint(entry):
            copy = op.clone().operation
            for number, argument in enumerate(entry.arguments):
                copy.operands[number] = argument
            ir.Operation.create("func.return", operands=list(copy.results))
        try:
            lower(module)
        except (ir.MLIRError, ValueError, RuntimeError):
            reader.reject(op, "MLIR does not lower it")
    reader.generalized.append(module)
    return entry
