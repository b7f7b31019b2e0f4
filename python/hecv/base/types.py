"""Types of values: what a term denotes and what an element of memory holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """A signless integer of `width` bits (LangRef, builtin integer type)."""

    width: int

    def __str__(self) -> str:
        return f"i{self.width}"


@dataclass(frozen=True, slots=True)
class IndexType:
    """The target's index type: 64 bits unless `--index-width` says otherwise."""

    def __str__(self) -> str:
        return "index"


@dataclass(frozen=True, slots=True)
class FloatType:
    """An IEEE-754 format by its MLIR name: `f16`, `bf16`, `f32` or `f64`."""

    name: str

    def __str__(self) -> str:
        return self.name


ScalarType = IntType | IndexType | FloatType

BOOL = IntType(1)
INDEX = IndexType()


@dataclass(frozen=True, slots=True)
class MemRefType:
    """A strided buffer with the identity layout.

    Shapes: `shape[k]` is None where the extent is dynamic.
    """

    shape: tuple[int | None, ...]
    element: ScalarType

    def __str__(self) -> str:
        extents = "".join(f"{'?' if n is None else n}x" for n in self.shape)
        return f"memref<{extents}{self.element}>"


Type = ScalarType | MemRefType
