"""Differential runs: both functions on one input, and whether the target's outcome refines the source's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.memo import Once
from hecv.base.value import Buffer, Poison, Scalar, Value, refined
from hecv.mlir.aliasing.reachable_allocations import without_surroundings
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.tree import Block, Function, Loop, Returned, Standing
from hecv.refute.element_slice import bounds
from hecv.refute.result_aliasing import Moved, hidden, moved
from hecv.refute.rounding_differences import Exactness, exactness
from hecv.run.codegen.loop_code import weight
from hecv.run.evaluation.external_functions import Made, World, calls_outside
from hecv.run.exactness.real_enclosures import Enclosed
from hecv.run.interpreter.interpreter import (
    ASSUMED,
    Diverged,
    Excluded,
    Executable,
    Exhausted,
    Finished,
    Freedom,
    Undefined,
    compile,
)
from hecv.run.interpreter.outcome_analysis import chooses, shows_order

BUDGET: Final = 5_000_000
"""The most steps of one run of a source."""
TARGET_SHARE: Final = 4
"""How many times more steps the target may take: vector lanes are run one by one, clean-up loops test more bounds."""

CHOICE: Final = "an op of the source (maxnumf or minnumf) has a choice between two zeros"

COARSEST: Final = 2.0**-6
"""The relative error of a literal of any format."""


class Difference(Struct, frozen=True):
    """An input on which the target does not refine the source.

    - `place`: where they first differ: the number of a result, or of an argument and the position of an element in it;
      None if the target is undefined, or calls another function without a body than the source.
    - `rounded`: floats were rounded on the way, and the reals that they stand for differ, too.
    - `calls`: the source's calls of functions without a body, with their answers.
    - `reordered`: parallel loops of the target began with their last iteration.
    - `moved`: if they return different buffers, how a caller can tell.
    """

    kind: Literal["value", "poison", "undefined-behavior", "race", "calls"]
    arguments: tuple[Value, ...]
    source: Finished
    target: Finished | Undefined | Diverged
    place: Element | None
    rounded: bool = False
    calls: tuple[Made, ...] = ()
    reordered: bool = False
    moved: Moved | None = None

    def has_poison(self) -> bool:
        """Whether the outcome of either side holds poison."""
        ends = [e for e in (self.source, self.target) if isinstance(e, Finished)]
        return any(isinstance(v, Poison) for end in ends for v in scalars(end))


class Element(Struct, frozen=True):
    """One observable value: of result `number`, or of input `number` at the row-major `position`."""

    kind: Literal["result", "argument"]
    number: int
    position: int


def scalars(end: Finished, returned: Sequence[Returned] = ()) -> list[Scalar]:
    """Everything that the caller can see: results, except those that say which buffers are `returned`, then the
    elements of buffers."""
    buffers = [v for v in end.arguments if isinstance(v, Buffer)]
    shown = hidden(returned, end)
    return [*(r for k, r in enumerate(end.results) if k not in shown), *(x for b in buffers for x in b.data)]


class Trials:
    """Runs of a pair of functions.

    `runs` counts inputs on which both finished, or on which a difference was found. A pair with ops without semantics
    is not `runnable`: nothing is ever run.
    """

    def __init__(
        self,
        source: Function,
        target: Function,
        index_width: int = 64,
        budget: int = BUDGET,
        floats: FloatMode = "strict",
        freedom: Freedom = ASSUMED,
        once: Once | None = None,
    ) -> None:
        """`floats` is the mode of `--fp`; `once` may know the functions.

        Raises: Unsupported where a function cannot be made executable.
        """
        source, target = without_surroundings(source), without_surroundings(target)
        self.exact: Exactness | None = exactness(source, target, index_width, floats, freedom)
        self.runnable = source.known and target.known
        self.returned = target.returned
        self._settling: Executable | None = None
        self.whole = source.whole or target.whole
        if self.runnable:
            # Without one, the functions are not compared: deep nests would overflow the stack.
            make = compile if once is None else partial(once, compile)
            self.source: Executable = make(source, index_width=index_width, freedom=freedom)
            # One run of the target that is wrong is enough.
            self.target: Executable = make(target, index_width=index_width, freedom=replace(freedom, overwrites=True))
            self._backwards = self._in_other_order(target, index_width, freedom)
            if chooses(source):
                self._settling = compile(source, index_width=index_width, freedom=freedom, settling=True)
        # Rounding may show in what is called.
        self.calls = self.exact is None and not source.unanswered and calls_outside((source, target))
        self.budget = budget
        self.runs = self.rounded = 0
        self._least = least_steps(source.body) if self.runnable else 0
        self.undefined = 0
        self.trap: Undefined | None = None
        """Where the source was undefined in the latest run."""
        self.excluded: Counter[str] = Counter()
        self.compiled = 0
        self.source_long = 0
        self.target_long = 0
        self.cut = 0
        self.seconds = 0.0

    def _in_other_order(self, target: Function, index_width: int, freedom: Freedom) -> Executable | None:
        """The target with parallel loops run from their ends; None where their order does not show, or rounding does
        not count."""
        if self.exact is not None or not shows_order(target):
            return None
        return compile(target, index_width=index_width, freedom=replace(freedom, backwards=True))

    def attempt(self, arguments: tuple[Value, ...], most: int | None = None) -> Difference | None:
        """Runs both on `arguments`; None if the target refines the source or the runs are inconclusive.

        A run that is `cut` short because it takes more than `most` steps is inconclusive.
        """
        if not self.runnable:
            return None
        started = perf_counter()
        try:
            found = self._attempt(arguments, most)
            if found is not None and self._settling is not None and not self._is_settled(arguments, self._settling):
                return None
            if found is None or self.exact is None:
                return found
            return self._counted(found, self.exact)
        finally:
            self.seconds += perf_counter() - started

    def longer(self, arguments: tuple[Value, ...], budget: int) -> Difference | Literal["same"] | None:
        """The difference between runs of at most `budget` steps; None if one does not finish."""
        first, second = self.source.run(arguments, budget), self.target.run(arguments, budget)
        if not isinstance(first, Finished) or not isinstance(second, Finished):
            return None if isinstance(first, Exhausted) or isinstance(second, Exhausted) else "same"
        return compare(arguments, first, second, self.returned) or "same"

    def _is_settled(self, arguments: tuple[Value, ...], settling: Executable) -> bool:
        """Whether no op of the source has a choice on an input on which it finishes; else the run does not count."""
        world = World(str(arguments)) if self.calls else None
        if isinstance(settling.run(arguments, self.budget, world), Finished):
            return True
        self.runs -= 1
        self.excluded[CHOICE] += 1
        return False

    def _counted(self, found: Difference, exact: Exactness) -> Difference | None:
        """The difference, where the mode sees it and no rounding explains it."""
        if isinstance(found.target, Finished):
            seen = compare(found.arguments, exact.seen(found.source), exact.seen(found.target), self.returned)
            if seen is None:
                return None
            found = replace(found, kind=seen.kind, place=seen.place, moved=seen.moved)
        if exact.holds(found.arguments, self.budget) and not self._agree(found, exact):
            return found
        place = self._apart(found, exact)
        if place is not None:
            return replace(found, kind="value", place=place, rounded=True)
        self.runs -= 1
        self.rounded += 1
        return None

    def _agree(self, found: Difference, exact: Exactness) -> bool:
        """Whether what literals stand for may explain the difference: over the reals there may be none. It does not
        where runs over intervals, in which a literal is all that it may stand for, tell the sides apart, too."""
        if not exact.rounds_literals:
            return False
        ends = exact.over_intervals(found.arguments, self.budget)
        if ends is None:
            return True
        first, second = ends
        if not isinstance(first, Finished) or not isinstance(second, Finished):
            return not isinstance(first, Finished) or type(second) is not type(found.target)
        if not isinstance(found.target, Finished):
            return True
        return not any(_disjoint(*pair) for pair in _by_place(first, second).values())

    def _apart(self, found: Difference, exact: Exactness) -> Element | None:
        """The element in which the sides differ most of those in which they differ over the reals, too; None where
        there is none."""
        if not isinstance(found.target, Finished):
            return None
        ends = exact.apart(found.arguments, self.budget, found.target)
        if ends is None:
            return None
        first, second = _by_place(*ends), _by_place(found.source, found.target)
        shown = hidden(self.returned, found.source)
        gaps = {
            place: _gap(*second[place])
            for place, pair in first.items()
            if _disjoint(*pair) and not (place.kind == "result" and place.number in shown)
        }
        widest = max(gaps, key=lambda place: gaps[place], default=None)
        return widest if widest is not None and gaps[widest] > 0 else None

    def _attempt(self, arguments: tuple[Value, ...], most: int | None) -> Difference | None:
        budget = self.budget if most is None else min(most, self.budget)
        if self._least > budget:
            self._exhausted("source", budget)
            return None
        world = World(str(arguments)) if self.calls else None
        first = self.source.run(arguments, budget, world)
        self.trap = first if isinstance(first, Undefined) else None
        match first:
            case Undefined():
                self.undefined += 1
                return None
            case Excluded(reason=reason):
                self.excluded[reason] += 1
                return None
            case Exhausted():
                self._exhausted("source", budget)
                return None
            case Diverged():
                raise AssertionError("what the source calls is expected of the target")
            case Finished():
                pass
        made = () if world is None else tuple(world.made)
        second = self.target.run(arguments, TARGET_SHARE * budget, None if world is None else world.again())
        match second:
            case Excluded(reason=reason):
                self.excluded[reason] += 1
                return None
            case Exhausted():
                self._exhausted("target", budget)
                return None
            case Undefined():
                self.runs += 1
                kind = "race" if second.race else "undefined-behavior"
                return Difference(kind, arguments, first, second, None, calls=made)
            case Diverged():
                self.runs += 1
                kind = "poison" if second.poison else "calls"
                return Difference(kind, arguments, first, second, None, calls=made)
            case Finished():
                self.runs += 1
                found = compare(arguments, first, second, self.returned) or self._reordered(arguments, first)
                return found if found is None else replace(found, calls=made)

    def _reordered(self, arguments: tuple[Value, ...], source: Finished) -> Difference | None:
        """A difference that shows where parallel loops of the target run in another order."""
        if self._backwards is None:
            return None
        end = self._backwards.run(arguments, TARGET_SHARE * self.budget)
        found = compare(arguments, source, end, self.returned) if isinstance(end, Finished) else None
        return None if found is None else replace(found, reordered=True)

    def _exhausted(self, side: Literal["source", "target"], budget: int) -> None:
        if budget < self.budget:
            self.cut += 1
        elif side == "source":
            self.source_long += 1
        else:
            self.target_long += 1

    def skipped(self) -> str | None:
        """What was not run and why; None if nothing was skipped."""
        parts: list[str] = [] if self.runnable else [_unrunnable(self.whole)]
        limit = f"{self.budget:,} steps"
        if self.compiled:
            parts.append(f"{_inputs(self.compiled)} too long for the interpreter: run by MLIR's JIT alone")
        if self.source_long:
            parts.append(f"{_inputs(self.source_long)}: the source does not finish within {limit}")
        if self.target_long:
            limit = f"{TARGET_SHARE * self.budget:,} steps"
            parts.append(f"{_inputs(self.target_long)}: the target does not finish within {limit}")
        parts += [f"{_inputs(count)}: {reason}" for reason, count in self.excluded.items()]
        if self.rounded:
            parts.append(f"{_inputs(self.rounded)}: a difference that rounding may explain does not count")
        if self.undefined and not self.runs:
            parts.append(f"{_inputs(self.undefined)}: the source is undefined")
        return "; ".join(parts) or None


def least_steps(block: Block) -> int:
    """The steps that a run of a block takes at least, if nothing is undefined: those of loops with known bounds."""
    count = weight(block)
    for s in block:
        known = bounds(s) if isinstance(s, Loop) else None
        if isinstance(s, Loop) and known is not None:
            count += len(known) * least_steps(s.body)
    return count


def _unrunnable(whole: str) -> str:
    """Why nothing is run, where vectors and tensors are values as a `whole` for a reason."""
    text = "ops without semantics here cannot be run"
    return f"{text} (vectors and tensors are values as a whole: {whole})" if whole else text


def _inputs(count: int) -> str:
    return f"{count} input" if count == 1 else f"{count} inputs"


def compare(
    arguments: tuple[Value, ...], source: Finished, target: Finished, returned: Sequence[Returned] = ()
) -> Difference | None:
    """The first place where the target's outcome does not refine the source's.

    Results that say which buffers are `returned` differ if a caller can tell. Poison is reported before a value: a
    value must be confirmed by MLIR's JIT, which is not given a run that ends with poison.
    """
    valued: Element | None = None
    shown = hidden(returned, source)
    for kind, number, left, right in _observables(source, target):
        if left == right and _plain(left):
            continue
        for position, (first, second) in enumerate(zip(left, right, strict=True)):
            if refined(first, second):
                continue
            place = Element(kind, number, position)
            if isinstance(second, Poison):
                return Difference("poison", arguments, source, target, place)
            if kind != "result" or number not in shown:
                valued = valued or place
    if valued is not None:
        return Difference("value", arguments, source, target, valued)
    change = moved(returned, arguments, source, target)
    if change is None:
        return None
    place = Element("result", next(r.shown for r in returned if r.result == change.result), 0)
    kind = "undefined-behavior" if change.target.own is Standing.DEAD else "value"
    return Difference(kind, arguments, source, target, place, moved=change)


def _observables(
    source: Finished, target: Finished
) -> list[tuple[Literal["result", "argument"], int, Sequence[Scalar], Sequence[Scalar]]]:
    results = [("result", k, [a], [b]) for k, (a, b) in enumerate(zip(source.results, target.results, strict=True))]
    pairs = enumerate(zip(source.arguments, target.arguments, strict=True))
    buffers = [
        ("argument", k, a.data, b.data) for k, (a, b) in pairs if isinstance(a, Buffer) and isinstance(b, Buffer)
    ]
    return [*results, *buffers]  # type: ignore[list-item]


def _by_place(source: Finished, target: Finished) -> dict[Element, tuple[Scalar, Scalar]]:
    """What either side has in each element that the caller sees."""
    return {
        Element(kind, number, position): pair
        for kind, number, left, right in _observables(source, target)
        for position, pair in enumerate(zip(left, right, strict=True))
    }


def at(place: Element, end: Finished) -> Scalar:
    """The final value of an element after a run."""
    if place.kind == "result":
        return end.results[place.number]
    value = end.arguments[place.number]
    return value.data[place.position] if isinstance(value, Buffer) else value


def _disjoint(left: Scalar, right: Scalar) -> bool:
    """Whether two values over the reals have no number in common."""
    if isinstance(left, float) and isinstance(right, float):
        (a, b), (c, d) = _ends(left), _ends(right)
        return b < c or d < a
    return isinstance(left, int) and isinstance(right, int) and left != right


def _ends(value: float) -> tuple[float, float]:
    """The interval of a value; that of a literal, which has none, is wide enough for any format."""
    if isinstance(value, Enclosed):
        return value.ends
    return value - abs(value) * COARSEST, value + abs(value) * COARSEST


def _gap(left: Scalar, right: Scalar) -> float:
    """How far apart two values are, for their size."""
    if not (isinstance(left, float) and isinstance(right, float)):
        return float(left != right)
    return abs(left - right) / max(abs(left), abs(right)) if math.isfinite(left - right) and left != right else 0.0


def _plain(data: Sequence[Scalar]) -> bool:
    """Whether equal lists mean equal values: there is no float zero, whose sign `==` ignores."""
    return 0.0 not in data or isinstance(data[0], int)
