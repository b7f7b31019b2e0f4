"""Gives two models one signature: a wrapper computes the target's parameters from the source's."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hecv.parameters.captured_model import Captured, Tensor, Values
from hecv.parameters.parameter_relation import (
    Concat,
    Expression,
    Own,
    Ref,
    Reshape,
    Shape,
    Slice,
    Transpose,
    Zeros,
    shape_of,
)

MAIN: Final = "main"
_INNER: Final = "hecv_inner"
_INLINE: Final = "builtin.module(inline,symbol-dce)"


def compose(model: Captured, common: Sequence[Tensor], expressions: Mapping[str, Expression]) -> str:
    """The model as a function `main` of the tensors `common`.

    Its own parameters are computed as `expressions` say; one without an expression is the tensor of its name in
    `common`. Inputs are those of `common`, in their order.

    Requires: no two parameters of a model have one name.
    """
    writer, inputs = _Writer(common), _inputs(common)
    operands = [
        next(inputs) if t.kind == "input" else writer.parameter(t, expressions.get(t.name)) for t in model.arguments
    ]
    context = ir.Context()
    context.enable_multithreading(False)
    with context:
        module = ir.Module.parse(model.text)
        function = next(
            op.operation for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == MAIN
        )
        function.attributes["sym_name"] = ir.StringAttr.get(_INNER)
        function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        results = [str(t) for t in kind.results]
        wrapper = ir.Module.parse(_wrapper(common, writer.lines, operands, [str(t) for t in kind.inputs], results))
        module.body.append(next(iter(wrapper.body.operations)).detach_from_parent())
        next(iter(wrapper.body.operations)).operation.erase()
        PassManager.parse(_INLINE).run(module.operation)
        return str(module)


def _wrapper(
    common: Sequence[Tensor], lines: list[str], operands: list[str], inputs: list[str], results: list[str]
) -> str:
    """A module with `main`, which calls the model, and a declaration of the model."""
    arguments = ", ".join(f"%a{k}: {t.type}" for k, t in enumerate(common))
    types = f"({', '.join(inputs)}) -> ({', '.join(results)})"
    made = ", ".join(f"%r{k}" for k in range(len(results)))
    bound = f"{made} = " if results else ""
    body = [*lines, f"{bound}func.call @{_INNER}({', '.join(operands)}) : {types}"]
    body.append(f"func.return {made} : {', '.join(results)}" if results else "func.return")
    text = "\n".join(body)
    head = f"func.func @{MAIN}({arguments}) -> ({', '.join(results)})"
    return f"module {{\n{head} {{\n{text}\n}}\nfunc.func private @{_INNER}{types}\n}}"


def _inputs(common: Sequence[Tensor]) -> Iterator[str]:
    """The values of the inputs, which may have the name of a parameter."""
    return (f"%a{k}" for k, tensor in enumerate(common) if tensor.kind == "input")


class _Writer:
    """Writes ops that compute tensors from tensors."""

    def __init__(self, common: Sequence[Tensor]) -> None:
        self._common = {t.name: t for t in common if t.kind != "input"}
        self._numbers = {t.name: k for k, t in enumerate(common) if t.kind != "input"}
        self.lines: list[str] = []

    def parameter(self, tensor: Tensor, expression: Expression | None) -> str:
        """The value for a parameter or buffer of the model."""
        if isinstance(expression, Own):
            return self._line(f"arith.constant {_dense(tensor)} : {tensor.type}")
        return self._value(expression or Ref(tensor.name), tensor.element)

    def _line(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _value(self, expression: Expression, element: str) -> str:
        made = shape_of(expression, self._common)
        kind = _type(made, element)
        match expression:
            case Ref(name=name):
                return f"%a{self._numbers[name]}"
            case Transpose(of=of, first=first, second=second):
                given, operand = self._operand(of, element)
                order = list(range(len(made)))
                order[first], order[second] = order[second], order[first]
                empty = self._line(f"tensor.empty() : {kind}")
                return self._line(
                    f"linalg.transpose ins({operand} : {given}) outs({empty} : {kind}) permutation = {order}"
                )
            case Concat(parts=parts, dim=dim):
                operands = [self._operand(p, element) for p in parts]
                names, types = ", ".join(o for _, o in operands), ", ".join(t for t, _ in operands)
                return self._line(f"tensor.concat dim({dim}) {names} : ({types}) -> {kind}")
            case Slice(of=of, dim=dim, start=start):
                given, operand = self._operand(of, element)
                offsets = [start if k == dim else 0 for k in range(len(made))]
                strides = [1] * len(made)
                return self._line(f"tensor.extract_slice {operand}{offsets}{list(made)}{strides} : {given} to {kind}")
            case Reshape(of=of):
                return self._reshaped(self._value(of, element), shape_of(of, self._common), made, element)
            case Zeros():
                return self._line(f"arith.constant dense<{0.0 if 'f' in element else 0}> : {kind}")
            case Own():
                raise AssertionError("a value stands alone")

    def _operand(self, expression: Expression, element: str) -> tuple[str, str]:
        return _type(shape_of(expression, self._common), element), self._value(expression, element)

    def _reshaped(self, operand: str, given: Shape, made: Shape, element: str) -> str:
        """A reshape through one dimension."""
        if not given and made:
            kinds = f"{_type(given, element)} into {_type(made, element)}"
            return self._line(f"tensor.expand_shape {operand} [] output_shape {list(made)} : {kinds}")
        row = _type((math.prod(given),), element)
        if len(given) > 1:
            groups = [list(range(len(given)))]
            operand = self._line(f"tensor.collapse_shape {operand} {groups} : {_type(given, element)} into {row}")
        if len(made) > 1:
            groups = [list(range(len(made)))]
            shape = f"{groups} output_shape {list(made)} : {row} into {_type(made, element)}"
            operand = self._line(f"tensor.expand_shape {operand} {shape}")
        return operand


def _type(shape: Shape, element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def _dense(tensor: Tensor) -> str:
    """The values as a `dense` attribute, in decimals that round to them."""
    element = tensor.element
    if 0 in tensor.shape:
        return "dense<>"

    def nested(values: Values, shape: Shape) -> str:
        if not shape:
            return _literal(values[0], element)
        size = math.prod(shape[1:])
        return f"[{', '.join(nested(values[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0]))}]"

    return f"dense<{nested(tensor.values, tensor.shape)}>"


def _literal(value: float, element: str) -> str:
    if element.startswith("i"):
        return str(bool(value)).lower() if element == "i1" else str(int(value))
    if math.isfinite(value):
        return f"{value:.17e}"
    packing, kept = {"f64": (">d", 8), "f32": (">f", 4), "bf16": (">f", 2), "f16": (">e", 2)}[element]
    return f"0x{struct.pack(packing, value)[:kept].hex().upper()}"
