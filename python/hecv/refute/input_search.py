"""The search for an input on which a pair of functions differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, repeat, zip_longest
from random import Random
from time import process_time
from typing import Final

from hecv.base.term import Term
from hecv.base.value import Buffer, Value
from hecv.claim import call_induction
from hecv.claim.assumptions import Constraint
from hecv.claim.semantic_options import Switches
from hecv.dataflow.input_sampling import points
from hecv.dataflow.model.value_dataflow import Budget
from hecv.dataflow.pair_model import Pair
from hecv.program.tree import Function, Load, Store, walk
from hecv.refute import aliased_inputs
from hecv.refute.asserted_extents import Extents
from hecv.refute.differential_runs import Difference, Trials
from hecv.refute.input_generation import (
    LARGEST_INTERESTING,
    STYLES,
    Draw,
    Point,
    Style,
    brinks,
    dynamic_extents,
    far,
    guesses,
    indexes_by_inputs,
    literals,
    may_leave_types,
    places_by_memory,
    wrapping_arguments,
)
from hecv.run.interpreter.interpreter import Undefined

HINT_STYLES: Final = (Style.DISTINCT, Style.PLAIN, Style.EDGES, Style.ZEROS)
LONG_INPUTS: Final = 5
"""The number of inputs on which the source does not finish after which the search ends, if it finished on none."""

MOST_POINTS: Final = 1000
"""The most inputs drawn for a function without sizes."""

SHORT_RUN: Final = 500_000
"""The most steps of a run before the proof, if inputs have sizes: a tenth of a second."""

WRAP: Final = 2
"""After every `WRAP` inputs there is one at which index arithmetic that may wrap does, `MOST_BRINKS` in all."""
GROWTHS: Final = 3
LARGEST_GROWN: Final = 64
BEYOND: Final = re.compile(r"out of bounds: index (-?\d+) of dimension (\d+),")
"""How often, and up to which subscript, an input is made larger in which the source is out of bounds."""

BRINK: Final = 8
MOST_BRINKS: Final = 60
"""After every `BRINK` inputs there is one at the ends of types, `MOST_BRINKS` in all."""

REPEATED_INPUTS: Final = 100
SMALL_INPUT: Final = 16


class Search:
    """The search for a difference of a pair of functions: what was run, and what is run next.

    `pair` is None if array dataflow cannot model the functions; `alone` then makes a pair of the source with itself, if
    that can be modelled. `is_long`: the pair is swept first.
    """

    def __init__(
        self,
        trials: Trials,
        functions: tuple[Function, Function],
        pair: Pair | None,
        is_long: bool,
        constraints: tuple[Constraint, ...],
        switches: Switches,
        seed: int,
        alone: Callable[[], Pair | None] = lambda: None,
    ) -> None:
        self._alone = alone
        self.trials, self.functions, self.pair, self.is_long = trials, functions, pair, is_long
        self._constraints = constraints
        self._overlapping = switches.may_overlap and aliased_inputs.may_share(functions)
        self._random = Random(seed)
        first, found = functions[0], literals(functions)
        modest = pair is None and (not is_long or any(map(indexes_by_inputs, functions)))
        modest = modest or (pair is not None and (pair.indirect or places_by_memory(first)))
        exact = 0 if trials.exact is None else trials.exact.share()
        self.draw = Draw(first, found, self._random, modest, exact, switches.index_width)
        self._extents = Extents(first, switches.index_width)
        self.points = self._tried(tuple(v for v in found if abs(v) <= LARGEST_INTERESTING))
        if switches.index_wraps:
            self.points = _in_turn(self.points, far(first, found, switches.index_width, self._random))
        elif wrapping := wrapping_arguments(functions):
            beyond = far(first, found, switches.index_width, Random(seed))
            self.points = _at_ends(self.points, islice(beyond, MOST_BRINKS), wrapping)
        if any(map(may_leave_types, functions)):
            some = islice(brinks(first, found, Random(seed)), MOST_BRINKS)
            self.points = _now_and_then(self.points, some)
        self._turn = 0
        self._seen: set[str] = set()
        self._repeated = 0
        self.too_large = 0

    def allowed(self, arguments: tuple[Value, ...]) -> bool:
        """Whether the arguments satisfy the assumptions."""
        return all(c.holds(self.functions[0], arguments) for c in self._constraints)

    def first_search(self, seconds: float, most: int) -> Difference | None:
        """`search` among inputs with short runs, if there are any: a run on a larger input may take a second."""
        if not self.has_sizes():
            return self.search(seconds, most)
        difference = self.search(seconds, most, SHORT_RUN)
        if difference is None and self.trials.cut and not self.trials.runs:
            return self.search(seconds, most)
        return difference

    def search(self, seconds: float, most: int, steps: int | None = None) -> Difference | None:
        """A difference on one of at most `most` new inputs; at least one is run, however long it takes. Runs of more
        than `steps` steps do not count.

        `seconds` are CPU seconds of this process: the result must not depend on what else the machine does.
        """
        deadline = process_time() + seconds
        if not self.trials.runnable:
            return None
        for point in islice(self.points, most):
            style = STYLES[self._turn % len(STYLES)]
            self._turn += 1
            difference = self._try_larger(point, style, steps)
            if difference is not None or process_time() > deadline or self._vain():
                return difference
        return None

    def _vain(self) -> bool:
        """Whether further inputs are unlikely to say anything: all are too long, or repeat what was run."""
        one_size = self.pair is not None and not self.pair.parameters.names and not call_induction.calls(self.functions)
        too_long = self.trials.source_long >= (1 if one_size else LONG_INPUTS) and not self.trials.runs
        return too_long or self._repeated >= REPEATED_INPUTS

    def search_at(self, hints: tuple[dict[Term, int], ...]) -> Difference | None:
        """A difference at one of the points that a failed proof names."""
        for point in hints if self.trials.runnable else ():
            full = {**dict.fromkeys(self._scalars(), 0), **point}
            for style in HINT_STYLES:
                difference = self._try(full, style)
                if difference is not None or self._vain():
                    return difference
        return None

    def has_sizes(self) -> bool:
        """Whether iterations or shapes may depend on the arguments."""
        if self.pair is None and self.is_long:
            return any(map(indexes_by_inputs, self.functions)) or bool(dynamic_extents(self.functions[0]))
        return self.pair is None or bool(self.pair.parameters.names)

    def _scalars(self) -> tuple[Term, ...]:
        return tuple(self.pair.parameters.names) if self.pair is not None else ()

    def _try_larger(self, point: Point, style: Style, steps: int | None) -> Difference | None:
        """`_try`; where the source leaves an input whose extent is open, again with one that is large enough."""
        difference = self._try(point, style, steps)
        for _ in range(GROWTHS):
            trap, self.trials.trap = self.trials.trap, None
            grown = None if trap is None or difference is not None else self._grown(point, trap)
            if grown is None:
                break
            point = grown
            difference = self._try(point, style, steps)
        return difference

    def _grown(self, point: Point, trap: Undefined) -> Point | None:
        """The point with the extent that an access needs; None if that is no extent of an input."""
        found = BEYOND.match(trap.text)
        access = next((s for s in walk(self.functions[0].body) if s.id == trap.statement), None)
        if found is None or not isinstance(access, Load | Store):
            return None
        index, dimension = int(found[1]), int(found[2])
        extent = access.memory.extents[dimension]
        if extent.op != "dim" or not 0 <= index <= LARGEST_GROWN:
            return None
        return {**point, extent: index + 1}

    def _try(self, point: Point, style: Style, steps: int | None = None) -> Difference | None:
        shared = self._overlapping and self._turn % 2 == 1
        whole = shared and self._turn % 4 == 1
        point = self._extents.settled(point)
        arguments = self.draw.arguments(aliased_inputs.even(self.functions[0], point) if whole else point, style)
        if arguments is None:
            self.too_large += 1
            return None
        if shared:
            arguments = (aliased_inputs.share if whole else aliased_inputs.shift)(
                self.functions, arguments, self._random
            )
        if not self.allowed(arguments) or self._is_repeated(arguments):
            return None
        cut = self.trials.cut
        difference = self.trials.attempt(arguments, steps)
        if self.trials.cut > cut:
            self._seen.clear()  # what was cut short may be tried again
        return difference

    def _is_repeated(self, arguments: tuple[Value, ...]) -> bool:
        """Whether a small input was run before: a function of an i1 has two."""
        if sum(len(v.data) for v in arguments if isinstance(v, Buffer)) > SMALL_INPUT:
            return False
        text = f"{arguments} {aliased_inputs.sharing(arguments)}"
        if text in self._seen:
            self._repeated += 1
            return True
        self._repeated = 0
        self._seen.add(text)
        return False

    def _tried(self, interesting: tuple[int, ...]) -> Iterator[Point]:
        """Points without end: new ones as long as there are any, then the same again."""
        seen: list[Point] = []
        try:
            for point in self._fresh(interesting):
                seen.append(point)
                yield point
        except Budget:
            yield from guesses(self.functions[0], interesting, self._random)
        while seen:
            yield from tuple(seen)

    def _fresh(self, interesting: tuple[int, ...]) -> Iterator[Point]:
        if self.is_long and not self.has_sizes():
            return repeat({}, MOST_POINTS)
        pair = self.pair or self._alone()
        if pair is None or pair.indirect:
            return guesses(self.functions[0], interesting, self._random)
        found = points(pair, interesting, self._random)
        return found if self.pair else _in_turn(found, guesses(self.functions[0], interesting, self._random))

    def skipped(self) -> str | None:
        """What was not run and why; None if nothing was skipped."""
        parts = [self.trials.skipped() or ""]
        if self.too_large:
            parts.append("inputs with more than a million elements are not made")
        if not self.trials.runs and not any(parts):
            parts.append("no input was found on which the source is defined")
        return "; ".join(p for p in parts if p) or None


def _in_turn(first: Iterator[Point], second: Iterator[Point]) -> Iterator[Point]:
    """What two iterators give, in turn; what is left where one has ended."""
    for pair in zip_longest(first, second):
        yield from (point for point in pair if point is not None)


def _now_and_then(first: Iterator[Point], second: Iterator[Point]) -> Iterator[Point]:
    """What an iterator gives, and after every `BRINK` one of another."""
    for number, point in enumerate(first, 1):
        yield point
        if number % BRINK == 0:
            yield from islice(second, 1)


def _at_ends(points: Iterator[Point], ends: Iterator[Point], arguments: frozenset[Term]) -> Iterator[Point]:
    """The points, and after every `WRAP` one that has its values of `arguments` from `ends`."""
    for number, point in enumerate(points, 1):
        yield point
        beyond = next(ends, None) if number % WRAP == 0 else None
        if beyond is not None:
            yield {**point, **{t: beyond[t] for t in arguments}}
