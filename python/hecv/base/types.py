"""Types of scalars and memrefs: what a term denotes and what an element of memory holds."""

from __future__ import annotations

from msgspec import Struct


class IntType(Struct, frozen=True):
    """A signless integer of `width` bits (LangRef, builtin integer type)."""

    width: int

    def __hash__(self) -> int:
        return self.width  # types are hashed with every term that is made

    def __str__(self) -> str:
        return f"i{self.width}"


class IndexType(Struct, frozen=True):
    """The target's index type: 64 bits unless `--index-width` says otherwise."""

    def __str__(self) -> str:
        return "index"


class FloatType(Struct, frozen=True):
    """A float format by its MLIR name: `f16`, `bf16`, `f32` or `f64`, or a `small` one of 8 bits, such as
    `f8E4M3FN`, which may lack infinities or -0."""

    name: str

    @property
    def small(self) -> bool:
        return self.name.startswith("f8")

    def __str__(self) -> str:
        return self.name


class OpaqueType(Struct, frozen=True):
    """A type without meaning here, by its MLIR text: its values are passed on and compared as a whole."""

    text: str

    def __str__(self) -> str:
        return self.text


ScalarType = IntType | IndexType | FloatType | OpaqueType


def is_wide(kind: ScalarType) -> bool:
    """True for a float type of more than 8 bits, which has too many values to try them all."""
    return isinstance(kind, FloatType) and not kind.small


BOOL = IntType(1)
INDEX = IndexType()


class Layout(Struct, frozen=True):
    """The memory layout of a memref that is not row-major without gaps; `text` is MLIR's.

    `strides` and `offset` are None where they are dynamic; `strides` is None as a whole if the layout is not strided.
    `distinct`: no two indices share an element, whatever the dynamic strides and extents are.
    """

    text: str
    strides: tuple[int | None, ...] | None
    offset: int | None
    distinct: bool


class MemRefType(Struct, frozen=True):
    """A memref; `layout` is None if it is row-major without gaps or offset.

    Shapes: `shape[k]` is None if the extent is dynamic.
    """

    shape: tuple[int | None, ...]
    element: ScalarType
    layout: Layout | None = None

    def __str__(self) -> str:
        extents = "".join(f"{'?' if n is None else n}x" for n in self.shape)
        layout = "" if self.layout is None else f", {self.layout.text}"
        return f"memref<{extents}{self.element}{layout}>"


Type = ScalarType | MemRefType
