"""Vectorised execution of long innermost loop bodies: operator by operator, each on many iterations at once.

As in `hecv.run.interpreter.operator_steps`, each operator is compiled once for all its occurrences of a kind; here it
maps columns to columns, where a column holds one value for each of some iterations. Iterations are run together only if
no two of them touch the same element; then each statement may be run for all of them before the next statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from hecv.base.value import Scalar
from hecv.run.evaluation.python_expressions import NAMESPACE

MOST: Final = 256
"""Iterations run together, at most."""

VALUES: Final = 1_000_000
"""Values kept at a time, at most: for longer bodies fewer iterations run together."""

Column = list[Any]
Operation = Callable[..., Column]
Step = tuple[Operation, int, tuple[int, ...]]
"""An operation, the column of its result, and the columns of its operands."""


class Read(Struct, frozen=True):
    """Loads from a memory, by number, at the offsets in one column, into another column."""

    memory: int
    offsets: int
    column: int


class Write(Struct, frozen=True):
    """Stores of a column to a memory, by number, at the offsets in another column."""

    memory: int
    offsets: int
    column: int


class Bounds(Struct, frozen=True):
    """Bounds checks, dimension by dimension: subscripts must be at least 0 and less than extents."""

    indices: tuple[int, ...]
    extents: tuple[int, ...]
    statement: int


class Check(Struct, frozen=True):
    """An operator that may be undefined, if `fails` holds of its operands."""

    fails: Operation
    operands: tuple[int, ...]
    op: str
    statement: int


Effect = Read | Write | Bounds | Check


class Failure(Struct, frozen=True):
    """The first undefined operation: an operator and its operands; or, if `op` is empty, subscripts with their
    extents."""

    op: str
    statement: int
    operands: list[Scalar]


class Body(Struct, frozen=True):
    """A loop body: the number of columns, the first of which is the induction variable; the columns of values from
    `outside` and of `literals`; the steps that compute `addresses`; effects, each after some steps. `shared` are
    the offsets in each memory where several statements may touch one element."""

    columns: int
    outside: tuple[int, ...]
    literals: tuple[tuple[int, Scalar], ...]
    addresses: list[Step]
    parts: list[tuple[list[Step], Effect]]
    shared: tuple[tuple[int, ...], ...]

    def run(
        self, iterations: Sequence[int], outside: Sequence[Scalar], memories: Sequence[list[Scalar]]
    ) -> Failure | None:
        """Runs all iterations in order, up to the first failure."""
        done, most = 0, min(MOST, max(VALUES // self.columns, 1))
        while done < len(iterations):
            columns = self._begun(iterations[done : done + most], outside)
            most = self._apart(columns)
            if most < len(columns[0]):
                columns = self._begun(iterations[done : done + most], outside)
            failure = self._done(columns, memories)
            if failure is not None:
                return failure
            done += most
        return None

    def _begun(self, iterations: Sequence[int], outside: Sequence[Scalar]) -> list[Column]:
        """The columns of some iterations, as far as addresses need them."""
        count = len(iterations)
        columns: list[Column] = [[]] * self.columns
        columns[0] = list(iterations)
        for position, value in (*zip(self.outside, outside, strict=True), *self.literals):
            columns[position] = [value] * count
        _take(self.addresses, columns)
        return columns

    def _apart(self, columns: list[Column]) -> int:
        """How many of the iterations, from the first on, touch pairwise different elements; at least one."""
        count = len(columns[0])
        for places in self.shared:
            if len(places) == 1 and len(set(columns[places[0]])) == len(columns[0]):
                continue
            touched: dict[int, int] = {}
            rows = zip(*[columns[p][:count] for p in places], strict=True)
            count = next(
                (k for k, row in enumerate(rows) if any(touched.setdefault(place, k) != k for place in row)), count
            )
        return count

    def _done(self, columns: list[Column], memories: Sequence[list[Scalar]]) -> Failure | None:
        """Runs some iterations; the failure reported is that of the earliest iteration, whatever the statement."""
        failure = None
        for steps, effect in self.parts:
            _take(steps, columns)
            match effect:
                case Read(memory, offsets, column):
                    data = memories[memory]
                    columns[column] = [data[k] for k in columns[offsets]]
                    continue
                case Write(memory, offsets, column):
                    data = memories[memory]
                    for k, value in zip(columns[offsets], columns[column], strict=True):
                        data[k] = value
                    continue
                case Bounds():
                    failed = _beyond(effect, columns)
                case Check():
                    failed = _first(effect.fails(*[columns[k] for k in effect.operands]))
            if failed is not None:
                failure = _failure(effect, columns, failed)
                if failed == 0:
                    return failure
                columns = [c[:failed] for c in columns]
        return failure


def _take(steps: list[Step], columns: list[Column]) -> None:
    for operation, position, operands in steps:
        columns[position] = operation(*[columns[k] for k in operands])


def _first(failing: Column) -> int | None:
    return next((k for k, fails in enumerate(failing) if fails), None)


def _beyond(bounds: Bounds, columns: list[Column]) -> int | None:
    """The first iteration with a subscript out of bounds."""
    pairs = [(columns[i], columns[e]) for i, e in zip(bounds.indices, bounds.extents, strict=True)]
    if all(min(index) >= 0 and max(index) < extent[0] for index, extent in pairs):
        return None
    return next(k for k in range(len(columns[0])) if any(not 0 <= i[k] < e[k] for i, e in pairs))


def _failure(effect: Bounds | Check, columns: list[Column], k: int) -> Failure:
    if isinstance(effect, Check):
        return Failure(effect.op, effect.statement, [columns[a][k] for a in effect.operands])
    pairs = zip(effect.indices, effect.extents, strict=True)
    return Failure("", effect.statement, [columns[p][k] for pair in pairs for p in pair])


def operation(text: str, count: int) -> Operation:
    """Compiles the text of an operator over `{0}`, `{1}`... to work on columns."""
    names = [f"a{k}" for k in range(count)]
    columns = [f"c{k}" for k in range(count)]
    rows = f"{names[0]} in c0" if count == 1 else f"{', '.join(names)} in zip({', '.join(columns)})"
    return eval(f"lambda {', '.join(columns)}: [{text.format(*names)} for {rows}]", dict(NAMESPACE))
