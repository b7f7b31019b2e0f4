"""Concrete values: what a run takes and gives.

An `iN` value is its residue, `0 <= v < 2**N`. An `index` value is a signed Python int. A float of any format is a
Python float that the format represents exactly. `POISON` may stand for any scalar.
"""

from __future__ import annotations

import math
from typing import Final, final

from msgspec import Struct


@final
class Poison:
    """The type of `POISON` (LangRef, `ub.poison`): a value that any other value refines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "poison"

    def __reduce__(self) -> str:
        return "POISON"


POISON: Final = Poison()

Scalar = int | float | Poison


class Buffer(Struct, eq=False):
    """The contents of one memref. Buffers that share `data` are the same memory. Buffers that share `store` are
    windows of one memory: `data` is its contents from `start` on.

    Shapes: `data` is row-major and has `prod(shape)` elements.
    """

    shape: tuple[int, ...]
    data: list[Scalar]
    store: list[Scalar] | None = None
    start: int = 0

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Buffer):
            return NotImplemented
        return self.shape == other.shape and self.data == other.data

    def __repr__(self) -> str:
        return f"Buffer(shape={self.shape!r}, data={self.data!r})"

    def copy(self) -> Buffer:
        """A buffer with the same contents and storage of its own."""
        return Buffer(self.shape, list(self.data))


Value = Scalar | Buffer


def refined(source: Scalar, target: Scalar) -> bool:
    """True if `target` refines `source`: anything refines poison; floats are compared up to the payload of a NaN."""
    if isinstance(source, Poison):
        return True
    if isinstance(target, Poison):
        return False
    if isinstance(source, float) and isinstance(target, float):
        if source != source:
            return target != target
        return source == target and math.copysign(1.0, source) == math.copysign(1.0, target)
    return source == target
