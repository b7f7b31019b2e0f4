"""Concrete values that programs run on.

An `iN` value is its residue, `0 <= v < 2**N`. An `index` value is a signed Python int. A float of any format is a
Python float that the format represents exactly. `POISON` may stand for any scalar.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, final


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


@dataclass(slots=True)
class Buffer:
    """The contents of one memref; buffers that share `data` are the same memory. Buffers that share `store` are windows
    of one memory: `data` is what that holds from `start` on.

    Shapes: `data` is row-major and has `prod(shape)` elements.
    """

    shape: tuple[int, ...]
    data: list[Scalar]
    store: list[Scalar] | None = field(default=None, repr=False, compare=False)
    start: int = field(default=0, repr=False, compare=False)

    def copy(self) -> Buffer:
        """A buffer with the same contents and storage of its own."""
        return Buffer(self.shape, list(self.data))


Value = Scalar | Buffer


def refined(source: Scalar, target: Scalar) -> bool:
    """Whether `target` may stand for `source`: poison by anything, floats up to the payload of a NaN."""
    if isinstance(source, Poison):
        return True
    if isinstance(target, Poison):
        return False
    if isinstance(source, float) and isinstance(target, float):
        if source != source:
            return target != target
        return source == target and math.copysign(1.0, source) == math.copysign(1.0, target)
    return source == target
