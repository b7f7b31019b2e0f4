"""No-wrap obligations: index arithmetic in conditions does not wrap, so that isl's view of a program is exact.

For each program the inputs fall into three classes: those on which arithmetic that is read as exact wraps (`inexact`),
those on which an affine expression in a condition overflows (`overflowing`; the assumptions exclude them), and the
rest. The first such event of a run decides: if the program is not inexact at all, it is the overflow of an affine
expression, so the input is excluded. So, for the target to refine the source,

- an input on which the source is inexact must be one that the affine expressions of the target exclude;
- an input on which the target is inexact must be one that those of the source exclude, or on which the source is
  undefined.

Example: a branch on `i + n - 10 >= 0` that was lowered from `affine.if` to `arith` is proved for every `n`.
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl
from msgspec import Struct

from hecv.base.types import IndexType
from hecv.dataflow.model.isl_translation import Parameters
from hecv.dataflow.model.scop import Flattened, Instances
from hecv.dataflow.model.value_dataflow import Isl


class Broken(Struct, frozen=True):
    """A premise that does not hold: the statement of the source or of the target that needs it, and the parameters for
    which it fails."""

    source: int | None
    target: int | None
    parameters: isl.Set


class Premises:
    """The premises of a pair's dataflow: without them it says nothing about the programs."""

    def __init__(self, space: Isl, parameters: Parameters, source: Flattened, target: Flattened) -> None:
        self._space = space
        half = 1 << (parameters.index_width - 1)
        values = (n for t, n in parameters.names.items() if t.op in ("arg", "dim") and isinstance(t.type, IndexType))
        self._values = " and ".join([f"{-half} <= {n} < {half}" for n in values]) or "1 = 1"
        self._sides = source, target
        self._inexact = self._parts(source), self._parts(target)

    def broken(self, undefined: isl.Set) -> Broken | None:
        """A premise that fails for "the target refines the source"; None if there is none.

        Requires: the source is undefined for the parameters `undefined`.
        """
        source, target = self._inexact
        if source:
            excluded = self._excluded(1)
            for statement, inexact in source:
                if not inexact.is_subset(excluded):
                    return Broken(statement.statement, None, inexact.subtract(excluded))
        if target:
            excluded = self._excluded(0, undefined)
            for statement, inexact in target:
                if not inexact.is_subset(excluded):
                    return Broken(None, statement.statement, inexact.subtract(excluded))
        return None

    def inputs(self) -> isl.Set:
        """The parameters whose values all lie in the range of their types."""
        return self._space.set(f"{{ : {self._values} }}").params()

    def excluded(self) -> tuple[isl.Set, isl.Set]:
        """The inputs that the affine expressions of each side exclude, because they overflow."""
        return self._excluded(0), self._excluded(1)

    def converse(self) -> bool:
        """Whether the premises for "the source refines the target" hold, beyond those that `broken` checks."""
        target = self._inexact[1]
        excluded = self._excluded(0) if target else None
        return excluded is None or all(inexact.is_subset(excluded) for _, inexact in target)

    def _parts(self, program: Flattened) -> list[tuple[Instances, isl.Set]]:
        parts: list[tuple[Instances, isl.Set]] = []
        for statement, text in program.inexact:
            found = where(self._space, statement, f"({text}) and {self._values}")
            if not found.is_empty():
                parts.append((statement, found))
        return parts

    def _excluded(self, side: int, more: isl.Set | None = None) -> isl.Set:
        """The inputs that the affine expressions of a side exclude, and `more`, where the side is exact."""
        found = self._space.known.subtract(self._space.known) if more is None else more
        found = found.union(_union(found, (where(self._space, s, text) for s, text in self._sides[side].overflowing)))
        return self._space.coalesced(found.subtract(_union(found, (p for _, p in self._inexact[side]))))


def _union(like: isl.Set, parts: Iterable[isl.Set]) -> isl.Set:
    result = like.subtract(like)
    for part in parts:
        result = result.union(part)
    return result


def where(space: Isl, statement: Instances, condition: str) -> isl.Set:
    """The parameters for which some instance of the statement satisfies the condition."""
    text = f"{{ {statement.tuple_text()} : {statement.domain_text()} and ({condition}) }}"
    return space.set(text).params().intersect(space.known)
