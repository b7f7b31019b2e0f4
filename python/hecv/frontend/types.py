"""Types of MLIR as plain data."""

from __future__ import annotations

from torch_mlir import ir

from hecv.base.types import INDEX, FloatType, IntType, MemRefType, ScalarType, Type

_FLOATS = {
    ir.F16Type: FloatType("f16"),
    ir.BF16Type: FloatType("bf16"),
    ir.F32Type: FloatType("f32"),
    ir.F64Type: FloatType("f64"),
}


def read_type(source: ir.Type) -> Type | None:
    """The type as plain data; None where it has no meaning here (a tensor, a vector, a layout, `f80`)."""
    if isinstance(source, ir.MemRefType):
        return _read_memref(source)
    return read_scalar(source)


def read_scalar(source: ir.Type) -> ScalarType | None:
    """A scalar type as plain data, or None."""
    if isinstance(source, ir.IntegerType):
        return IntType(source.width) if source.is_signless and source.width > 0 else None
    if isinstance(source, ir.IndexType):
        return INDEX
    return _FLOATS.get(type(source))


def _read_memref(source: ir.MemRefType) -> MemRefType | None:
    element = read_scalar(source.element_type)
    if element is None:
        return None
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = tuple(None if n == dynamic else n for n in source.shape)
    return MemRefType(shape, element) if _is_identity(source, shape) else None


def _is_identity(source: ir.MemRefType, shape: tuple[int | None, ...]) -> bool:
    """Whether the layout is row-major without gaps or offset."""
    layout = source.layout
    if isinstance(layout, ir.AffineMapAttr):
        return layout.value == ir.AffineMap.get_identity(len(shape), source.context)
    try:
        strides, offset = source.get_strides_and_offset()
    except ValueError:
        return False
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent is None or stride != expected:
            return False
        expected *= extent
    return offset == 0
