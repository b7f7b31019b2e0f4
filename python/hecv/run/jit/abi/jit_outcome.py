"""The signature and the outcomes of a JIT call."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import Scalar, Value


class Finished(Struct, frozen=True):
    """The call returned: its results, the arguments after it (with updated buffers), and how many `calls` of
    functions without a body it made."""

    results: tuple[Scalar, ...]
    arguments: tuple[Value, ...]
    calls: int = 0


class Diverged(Struct, frozen=True):
    """The code called a function without a body in another way than the run whose answers it gets; `number` counts
    the calls from 1."""

    number: int


class Failed(Struct, frozen=True):
    """The call has no result: not compiled, crashed, out of time, or a type or value without a form in memory."""

    reason: str


JitOutcome = Finished | Failed | Diverged


class Signature(Struct, frozen=True):
    """The types of the called function. For the results numbered `shown`, it is reported which buffers they are.

    `answered`: functions without a body get answers, and the addresses of globals are reported.
    """

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
    """Raised in the child if the outcome is `Failed`; its text is the reason."""
