"""The `complex` dialect: where vectors are read by element, a number is an aggregate (real part, imaginary part).

A memref of complex numbers has these two as its last dimension. Where vectors are opaque, complex numbers are too.

An op means what MLIR's `convert-complex-to-standard` makes of it: LangRef does not say how a quotient or a logarithm is
rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hecv.base.types import FloatType
from hecv.mlir.aggregates.ops_by_lowering import read_lowered
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.scalar_ops import fastmath_of, literal_of
from hecv.mlir.values.aggregate_values import Shape, aggregate, by_element, listed, shape
from hecv.ops.fastmath_flags import POISONING, flags_of

_LOWER: Final = "builtin.module(func.func(convert-complex-to-standard))"
_COMPUTED: Final = (
    "abs add angle atan2 conj cos div eq exp expm1 log log1p mul neq pow powi rsqrt sign sin sqrt sub tan tanh"
)
"""Ops that mean what MLIR's lowering makes of them."""
_SAYING: Final = POISONING | {"nsz"}
"""Flags that constrain each number, even one that is only negated."""


def _read_create(reader: Reader, op: ir.Operation) -> None:
    """Example: `%z = complex.create %x, %y : complex<f32>`."""
    kind = shape(reader, op, op.result.type)
    reader.aggregates[op.result] = listed(reader, op, kind, reader.terms(op, op.operands))


def _read_constant(reader: Reader, op: ir.Operation) -> None:
    """Example: `%z = complex.constant [1.0 : f32, 0.5 : f32] : complex<f32>`."""
    kind = shape(reader, op, op.result.type)
    parts = list(ir.ArrayAttr(op.attributes["value"]))
    values = [literal_of(reader, op, part, kind.element) for part in parts]
    reader.aggregates[op.result] = listed(reader, op, kind, values)


def _part(number: int) -> Handler:
    def read(reader: Reader, op: ir.Operation) -> None:
        value = aggregate(reader, op, op.operands[0])
        reader.scalars[op.result] = value.element(op, (reader.pool.integer(number),))

    return read


def _read_neg(reader: Reader, op: ir.Operation) -> None:
    """Each part negated, with the op's flags, which MLIR's lowering drops.

    Example: `%w = complex.neg %z : complex<f32>`.
    """
    kind = shape(reader, op, op.result.type)
    _require_lowered(reader, op, kind)
    value, flags = aggregate(reader, op, op.operands[0]), fastmath_of(reader, op)
    parts = [value.element(op, (reader.pool.integer(k),)) for k in range(2)]
    negated = [reader.pool.make("arith.negf", (part,), kind.element, flags) for part in parts]
    reader.aggregates[op.result] = listed(reader, op, kind, negated)


def _read_computed(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = complex.mul %z, %z : complex<f32>`."""
    for kind in (v.type for v in (*op.operands, *op.results)):
        if isinstance(kind, ir.ComplexType):
            _require_lowered(reader, op, shape(reader, op, kind))
    flags = fastmath_of(reader, op)
    said = _SAYING & flags_of(flags)

    def lower(module: ir.Module) -> None:
        PassManager.parse(_LOWER).run(module.operation)
        if said and not any(fastmath_of(reader, made) == flags for made in _ops(module)):
            reader.reject(op, f"MLIR's lowering drops what it says of its numbers (`{', '.join(sorted(said))}`)")

    read_lowered(reader, op, lower)


def _ops(module: ir.Module) -> Iterator[ir.Operation]:
    """The ops of the only function of a module."""
    (function,) = module.body.operations
    yield from (view.operation for view in function.operation.regions[0].blocks[0].operations)


def _require_lowered(reader: Reader, op: ir.Operation, kind: Shape) -> None:
    """Raises: Unsupported for a format for which MLIR's lowering uses constants of another format."""
    if kind.element not in (FloatType("f32"), FloatType("f64"), FloatType("f16"), FloatType("bf16")):
        reader.reject(op, f"complex numbers of {kind.element} are not supported")


HANDLERS: Mapping[str, Handler] = {
    "complex.create": by_element(_read_create),
    "complex.constant": by_element(_read_constant),
    "complex.re": by_element(_part(0)),
    "complex.im": by_element(_part(1)),
    "complex.neg": by_element(_read_neg),
    **{f"complex.{name}": by_element(_read_computed) for name in _COMPUTED.split()},
}
