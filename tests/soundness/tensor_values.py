"""What a function of `tensors` computes, by SSA values as Python lists: tensors are values, and nothing is shared."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

Values = dict[ir.Value, Any]


def evaluate(text: str, arguments: list[Any]) -> list[Any]:
    """The results of the function."""
    module = ir.Module.parse(text, ir.Context())
    body = module.body.operations[0].regions[0].blocks[0]
    return _block(body, dict(zip(body.arguments, arguments, strict=True)))


def _block(block: ir.Block, values: Values) -> list[Any]:
    for view in block.operations:
        op = view.operation
        operands = [values[v] for v in op.operands]
        if op.name in ("scf.yield", "scf.condition", "func.return"):
            return operands
        for result, value in zip(op.results, _results(op, operands, values), strict=True):
            values[result] = value
    raise AssertionError("a block without an end")


def _results(op: ir.Operation, operands: list[Any], values: Values) -> list[Any]:
    match op.name:
        case "arith.constant":
            return [ir.IntegerAttr(op.attributes["value"]).value]
        case "tensor.insert":
            value, into, at = operands
            return [[*into[:at], value, *into[at + 1 :]]]
        case "tensor.extract":
            return [operands[0][operands[1]]]
        case "tensor.extract_slice":
            source, *rest = operands
            at = _offset(op, rest)
            return [list(source[1]) if isinstance(source[0], list) else source[at : at + 3]]
        case "tensor.insert_slice":
            part, into, *rest = operands
            at = _offset(op, rest)
            return [[*into[:at], *part, *into[at + 3 :]]]
        case "tensor.expand_shape":
            return [[operands[0][:3], operands[0][3:]]]
        case "arith.addf" | "linalg.generic":
            return [[a + b for a, b in zip(operands[0], operands[1], strict=True)]]
        case "arith.cmpf":
            return [operands[0] > operands[1]]
        case "arith.cmpi":
            return [operands[0] < operands[1]]
        case "arith.addi":
            return [operands[0] + operands[1]]
        case "affine.apply":
            return [3 * operands[0]]
        case "scf.forall":
            return [_forall(op, operands[0], values)]
        case "scf.if":
            return _block(op.regions[0 if operands[0] else 1].blocks[0], values)
        case "scf.for":
            low, high, step, *carried = operands
            body = op.regions[0].blocks[0]
            for k in range(low, high, step):
                values.update(zip(body.arguments, [k, *carried], strict=True))
                carried = _block(body, values)
            return carried
        case "scf.while":
            return _while(op, operands, values)
        case name:
            raise AssertionError(name)


def _while(op: ir.Operation, carried: list[Any], values: Values) -> list[Any]:
    before, after = (region.blocks[0] for region in op.regions)
    while True:
        values.update(zip(before.arguments, carried, strict=True))
        holds, *passed = _block(before, values)
        if not holds:
            return passed
        values.update(zip(after.arguments, passed, strict=True))
        carried = _block(after, values)


def _forall(op: ir.Operation, shared: Any, values: Values) -> Any:
    """Two iterations, each with the first contents of the shared tensor: they do not see each other."""
    body, result = op.regions[0].blocks[0], list(shared)
    *rest, end = [view.operation for view in body.operations]
    for k in range(2):
        values.update(zip(body.arguments, [k, shared], strict=True))
        for inner in rest:
            for value, found in zip(
                inner.results, _results(inner, [values[v] for v in inner.operands], values), strict=True
            ):
                values[value] = found
        for insertion in end.regions[0].blocks[0].operations:
            part, _, at = (values[v] for v in insertion.operation.operands)
            result = [*result[:at], *part, *result[at + 3 :]]
    return result


def _offset(op: ir.Operation, dynamic: list[int]) -> int:
    return dynamic[0] if dynamic else next(iter(ir.DenseI64ArrayAttr(op.attributes["static_offsets"])))
