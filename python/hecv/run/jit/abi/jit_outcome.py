"""The signature and the outcomes of a JIT call."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import Scalar, Value


class Finished(Struct, frozen=True):
    """The call returned: its results, and the arguments as they are after it (buffers updated). It made so many `calls`
    of functions without a body."""

    results: tuple[Scalar, ...]
    arguments: tuple[Value, ...]
    calls: int = 0


class Diverged(Struct, frozen=True):
    """The code made another call of a function without a body than the one that it is answered by; `number` counts the
    calls from 1."""

    number: int


class Failed(Struct, frozen=True):
    """The call has no result: not compiled, crashed, out of time, or a type or value that has no form in memory."""

    reason: str


JitOutcome = Finished | Failed | Diverged


class Signature(Struct, frozen=True):
    """The types by which the function is called; of results numbered `shown` it is said which buffers they are. Where
    what has no body is `answered`, it is told where globals lie."""

    types: tuple[Type, ...]
    results: tuple[ScalarType, ...]
    index_width: int
    globals: tuple[tuple[str, MemRefType], ...] = ()
    shown: tuple[int, ...] = ()
    answered: bool = False
    same: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.types))}) -> ({', '.join(map(str, self.results))})"

    def inputs(self) -> tuple[Type, ...]:
        """The types of the arguments, then those of the globals."""
        return (*self.types, *(kind for _, kind in self.globals))


class Refused(Exception):
    """Raised in the child where the outcome is `Failed`; its text is the reason."""
