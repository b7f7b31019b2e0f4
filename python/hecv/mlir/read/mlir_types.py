"""MLIR types as plain data."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from torch_mlir import ir

from hecv.base.types import INDEX, FloatType, IntType, Layout, MemRefType, OpaqueType, ScalarType, Type
from hecv.mlir.read.affine_maps import TooDeep, linear_forms

_FLOATS = {
    ir.F16Type: FloatType("f16"),
    ir.BF16Type: FloatType("bf16"),
    ir.F32Type: FloatType("f32"),
    ir.F64Type: FloatType("f64"),
    ir.Float8E5M2Type: FloatType("f8E5M2"),
    ir.Float8E4M3Type: FloatType("f8E4M3"),
    ir.Float8E3M4Type: FloatType("f8E3M4"),
    ir.Float8E4M3FNType: FloatType("f8E4M3FN"),
    ir.Float8E5M2FNUZType: FloatType("f8E5M2FNUZ"),
    ir.Float8E4M3FNUZType: FloatType("f8E4M3FNUZ"),
    ir.Float8E4M3B11FNUZType: FloatType("f8E4M3B11FNUZ"),
}

_PLAIN = re.compile(
    r"(?:tensor|vector|complex|tuple)<.*>|!torch\.(?:vtensor<.*>|vtensor|int|float|bool|none|str|Device|list<.*>)"
    r"|!tosa\.shape<\d+>|!quant\..*|[su]i\d+|i[1-9]\d{3,}|f80|f128|tf32|f[468]\w+",
    re.DOTALL,
)
"""Types whose values are immutable. (A torch list is not, but no op that changes one can be read.)"""

_WIDE: Final = frozenset({"f80", "f128"})
"""Float types that the bindings do not know as such."""

WIDEST: Final = 4096
"""Bits of an integer type with a meaning here, at most."""


def read_type(source: ir.Type) -> Type | None:
    """The type as plain data; one without a meaning here (a tensor, a vector) by its text.

    None if its values may change, or may hold references to memory. Those of a type that no dialect registers may: only
    calls take these, of ops that no dialect registers either, and a call may write all that it can reach anyway.
    """
    if isinstance(source, ir.MemRefType):
        return _read_memref(source)
    return read_scalar(source) or _read_opaque(source)


def read_scalar(source: ir.Type) -> ScalarType | None:
    """A scalar type as plain data, or None."""
    if isinstance(source, ir.IntegerType):
        return _integer(source.width) if source.is_signless and 0 < source.width <= WIDEST else None
    if isinstance(source, ir.IndexType):
        return INDEX
    return _FLOATS.get(type(source))


@cache
def _integer(width: int) -> IntType:
    """The integer type of a width. There is one object for each width: facts about types are looked up by identity."""
    return IntType(width)


def _read_opaque(source: ir.Type) -> OpaqueType | None:
    text = str(source)
    if isinstance(source, ir.OpaqueType):
        return OpaqueType(text)
    return OpaqueType(text) if _PLAIN.fullmatch(text) and "memref" not in text else None


def _read_memref(source: ir.MemRefType) -> MemRefType | None:
    element = read_scalar(source.element_type)
    if element is None and (isinstance(source.element_type, ir.FloatType) or str(source.element_type) in _WIDE):
        element = _read_opaque(source.element_type)  # a format without meaning here
    if element is None:
        return None
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = tuple(None if n == dynamic else n for n in source.shape)
    if _is_row_major(source, shape):
        return MemRefType(shape, element)
    layout = _read_layout(source, shape)
    return None if layout is None else MemRefType(shape, element, layout)


def read_memref_of_vectors(source: ir.Type) -> MemRefType | None:
    """A row-major memref of vectors or complex numbers as a memref of their elements, whose dimensions come last;
    None for another type."""
    if not isinstance(source, ir.MemRefType) or not isinstance(source.element_type, ir.VectorType | ir.ComplexType):
        return None
    inner = source.element_type
    element, lanes = read_scalar(inner.element_type), (2,) if isinstance(inner, ir.ComplexType) else tuple(inner.shape)
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = tuple(None if n == dynamic else n for n in source.shape)
    scalable = isinstance(inner, ir.VectorType) and inner.scalable
    if scalable or element is None or not _is_row_major(source, shape):
        return None
    return MemRefType((*shape, *lanes), element)


def _read_layout(source: ir.MemRefType, shape: tuple[int | None, ...]) -> Layout | None:
    """The layout of a memref type as plain data.

    None if elements share a position, or may do so by static strides: `strided<[?, 0]>` and, for at least two rows of 4
    elements, `strided<[2, 1]>`.
    """
    text = str(source.layout)
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    try:
        strides, offset = source.get_strides_and_offset()
    except RuntimeError:  # not strided
        return Layout(text, None, None, True) if _is_injective(ir.AffineMapAttr(source.layout).value) else None
    known = tuple(None if n == dynamic else n for n in strides)
    distinct = _are_apart(shape, known)
    if not distinct and not _may_be_apart(shape, known):
        return None
    return Layout(text, known, None if offset == dynamic else offset, distinct)


def _is_row_major(source: ir.MemRefType, shape: tuple[int | None, ...]) -> bool:
    """True if the layout is row-major without gaps or offset."""
    layout = source.layout
    if isinstance(layout, ir.AffineMapAttr):
        return layout.value == ir.AffineMap.get_identity(len(shape), source.context)
    try:
        strides, offset = source.get_strides_and_offset()
    except RuntimeError:  # not strided
        return False
    expected: int | None = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if stride != expected:
            return False
        expected = None if expected is None or extent is None else expected * extent
    return offset == 0


def _are_apart(shape: tuple[int | None, ...], strides: tuple[int | None, ...]) -> bool:
    """True if no two elements share a position: each stride exceeds the reach of all smaller ones."""
    wide = [(stride, extent) for stride, extent in zip(strides, shape, strict=True) if extent != 1]
    known = sorted((stride, extent) for stride, extent in wide if stride is not None and extent is not None)
    reached = 0
    for stride, extent in known:
        if stride <= reached:
            return False
        reached += stride * max(0, extent - 1)
    rest = [stride for stride, extent in wide if stride is not None and extent is None]
    # One dimension of unknown extent may have the greatest stride.
    return len(known) + len(rest) == len(wide) and len(rest) <= 1 and all(stride > reached for stride in rest)


def _may_be_apart(shape: tuple[int | None, ...], strides: tuple[int | None, ...]) -> bool:
    """True if for some dynamic strides, and dynamic extents of two, no two elements share a position."""
    if None not in (*shape, *strides):
        return False
    pairs = zip(shape, strides, strict=True)
    known = [(2 if n is None else n, abs(stride)) for n, stride in pairs if stride is not None]
    return _are_apart(tuple(n for n, _ in known), tuple(stride for _, stride in known))


def _is_injective(layout: ir.AffineMap) -> bool:
    """True if the results determine each dimension: its quotient and remainder by one positive number are among
    them, or it is the only undetermined dimension of a linear result."""
    if layout.n_symbols:
        return False
    results = [str(result) for result in layout.results]
    told = {d for d in range(layout.n_dims) if _is_divided(f"d{d}", results)}
    try:
        forms = [form for form in linear_forms(layout) if form is not None]
    except TooDeep:
        return False
    for _ in range(layout.n_dims):
        left = ([d for d, c in form.coefficients if c and d not in told] for form in forms)
        told.update(dimensions[0] for dimensions in left if len(dimensions) == 1)
    return len(told) == layout.n_dims


def _is_divided(name: str, results: list[str]) -> bool:
    """True if the quotient and the remainder of a dimension by the same number are results."""
    quotients = (re.fullmatch(rf"{name} floordiv (\d+)", result) for result in results)
    return any(q and f"{name} mod {q[1]}" in results for q in quotients)
