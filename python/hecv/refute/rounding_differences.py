"""Rounding differences: if floats may be regrouped, only a difference that no rounding explains counts."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, literal
from hecv.base.types import FloatType
from hecv.base.value import Buffer, Scalar, Value
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.tree import Function
from hecv.run.exactness.literal_reals import number_of
from hecv.run.exactness.real_enclosures import enclosed
from hecv.run.interpreter.interpreter import (
    ASSUMED,
    Excluded,
    Executable,
    Exhausted,
    Finished,
    Freedom,
    Outcome,
    compile,
)
from hecv.run.interpreter.outcome_analysis import active_in, terms_of


class Exactness(Struct):
    """Runs both functions once more, so that a run in which arithmetic may round is inconclusive
    (`hecv.run.exactness.exact_arithmetic`).

    Over the reals zeros have no sign.
    """

    functions: tuple[Function, Function]
    index_width: int
    mode: FloatMode
    freedom: Freedom
    rounds_literals: bool = False
    """Whether, over the reals, some literal stands for another number."""
    by_flags: bool = False
    """Whether the source's flags decide, not a mode."""
    encloses: bool = True
    """Whether intervals decide what is different."""
    _made: tuple[Executable, Executable] | None = field(default=None)
    _enclosing: tuple[Executable, ...] = field(default=())

    def share(self) -> float:
        """The share of inputs with floats of few digits; not all, as ops without flags may have to round for a
        difference."""
        if self.mode != "strict":
            return 1
        return 0.5 if active_in(self.functions[0]) - {"nsz"} else 0

    def holds(self, arguments: tuple[Value, ...], budget: int) -> bool:
        """Whether no float of either run would change in another order of computation; of the source's run alone if its
        flags decide."""
        try:
            if self._made is None:
                first, second = (
                    compile(f, index_width=self.index_width, exact=self.mode, freedom=self.freedom)
                    for f in self.functions
                )
                self._made = first, second
        except Unsupported:
            return False
        # Flags of the source say nothing of what the target computes.
        watched = self._made[:1] if self.mode == "strict" else self._made
        ends = [executable.run(arguments, budget) for executable in watched]
        return not any(isinstance(end, Excluded | Exhausted) for end in ends)

    def apart(self, arguments: tuple[Value, ...], budget: int, target: Finished) -> tuple[Finished, Finished] | None:
        """What both functions compute over the reals, each float an interval (`hecv.run.exactness.real_enclosures`);
        None if a run is inconclusive, or floats are not read as reals.

        Under flags: what the source may compute in any way that they allow (`hecv.run.exactness.fast_math_intervals`),
        and what the `target` did.
        """
        ends = self.over_intervals(arguments, budget)
        finished = [end for end in ends or () if isinstance(end, Finished)]
        if ends is None or len(finished) < len(ends):
            return None
        return (finished[0], _as_points(target)) if self.by_flags else (finished[0], finished[1])

    def over_intervals(self, arguments: tuple[Value, ...], budget: int) -> list[Outcome] | None:
        """The outcomes of runs with floats as intervals, of the source alone under flags; None if there are none."""
        if not self.encloses or self.freedom.may_overlap or not all(map(_is_finite, arguments)):
            return None
        functions = self.functions[:1] if self.by_flags else self.functions
        try:
            self._enclosing = self._enclosing or tuple(
                [
                    compile(
                        f, index_width=self.index_width, freedom=self.freedom, enclosing=True, loosened=self.by_flags
                    )
                    for f in functions
                ]
            )
        except Unsupported:
            return None
        points = tuple(map(_as_point, arguments))
        return [executable.run(points, budget) for executable in self._enclosing]

    def seen(self, end: Finished) -> Finished:
        """The outcome as the float mode sees it."""
        if self.mode != "real":
            return end
        arguments = tuple(
            Buffer(v.shape, [_unsigned(x) for x in v.data]) if isinstance(v, Buffer) else v for v in end.arguments
        )
        return replace(end, results=tuple(map(_unsigned, end.results)), arguments=arguments)


def _is_finite(value: Value) -> bool:
    data = value.data if isinstance(value, Buffer) else [value]
    return all(math.isfinite(x) for x in data if isinstance(x, float))


def _as_point(value: Value) -> Value:
    """An input as intervals: each of its floats is the number that it is."""
    if isinstance(value, Buffer):
        return Buffer(value.shape, [enclosed(x, x) if isinstance(x, float) else x for x in value.data])
    return enclosed(value, value) if isinstance(value, float) else value


def _as_points(end: Finished) -> Finished:
    """An outcome as intervals: what is infinite or NaN stays, and is apart from nothing."""
    arguments = tuple([_as_point(v) if _is_finite(v) else v for v in end.arguments])
    return replace(end, results=tuple([_as_point(v) if _is_finite(v) else v for v in end.results]), arguments=arguments)


def _unsigned(value: Scalar) -> Scalar:
    return value + 0.0 if isinstance(value, float) else value


def exactness(
    source: Function, target: Function, index_width: int, mode: FloatMode, freedom: Freedom = ASSUMED
) -> Exactness | None:
    """Decides which differences count; None if all do.

    Under fast-math flags of the source, an exact run is the only result that they allow, so a different result of the
    target is not allowed by any of them; the target's own flags do not matter. If the flags also leave the sign of
    zeros open, or allow more than the order that the mode leaves open, each op may be computed as over the reals.
    """
    if mode == "real":
        rounds = _rounds_literals((*terms_of(source), *terms_of(target)))
        return Exactness((source, target), index_width, mode, freedom, rounds)
    active = active_in(source)
    if mode == "reassoc":
        mode = "real" if active - {"reassoc"} else "reassoc"
        return Exactness((source, target), index_width, mode, freedom, encloses=False)
    if not active:
        return None
    mode = "real" if "nsz" in active and len(active) > 1 else "strict"
    return Exactness((source, target), index_width, mode, freedom, by_flags=True)


def _rounds_literals(terms: Iterable[Term]) -> bool:
    """Whether some literal stands for a number that it is not, or may have been computed from one; not where two of one
    format stand for one number, as one of them was not meant to be it."""
    found: dict[tuple[str, str], float] = {}
    computed = False
    for term in terms:
        value = literal(term)
        if isinstance(value, float) and isinstance(term.type, FloatType) and math.isfinite(value):
            number = number_of(value, term.type.name)
            if found.setdefault((term.type.name, str(number)), value) != value:
                return False
            if number.exact:
                del found[term.type.name, str(number)]
            computed |= not number_of(value, term.type.name, computed=True).exact
    return computed or bool(found)
