"""One pair of functions under decision: both as trees and as isl sees them, and inputs to run them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice, repeat, zip_longest
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Final

from hecv.base.diag import Diagnostic, Unsupported
from hecv.base.once import Once
from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType, ScalarType
from hecv.base.value import Buffer, Value
from hecv.dialects import exposes
from hecv.dialects.licences import FloatMode
from hecv.dialects.registry import licensed
from hecv.elements.outcome import Open, Same
from hecv.execute.analysis import terms_of
from hecv.frontend.mlir import ParsedModule, read_pair
from hecv.graph.identity import same_program, same_shape
from hecv.graph.tree import Function, Loop, While, walk
from hecv.poly.dataflow import Budget
from hecv.poly.inputs import points
from hecv.poly.pair import OPERATIONS, Pair
from hecv.poly.prove import Proved, Stuck, prove
from hecv.poly.sameness import is_same
from hecv.poly.space import NotAffine
from hecv.poly.statements import Refused
from hecv.verdict import aiming, compiled, overlap, recursion, sweeping, theorems
from hecv.verdict.assumptions import Constraint
from hecv.verdict.child import Stage
from hecv.verdict.elements import prove_by_element
from hecv.verdict.inputs import (
    LARGEST_INTERESTING,
    STYLES,
    Draw,
    Point,
    Style,
    dynamic_extents,
    far,
    guesses,
    indexes_by_inputs,
    literals,
)
from hecv.verdict.looprules import LoopRules, admitted
from hecv.verdict.runs import BUDGET, Difference, Trials
from hecv.verdict.scalars import Comparer
from hecv.verdict.strategy import Strategy
from hecv.verdict.sweeping import Begun, Orders, Swept, Tools, begin, is_long, parts_of, sweep
from hecv.verdict.switches import Switches, overlapping, unproved, unproved_by_dataflow
from hecv.verdict.theorems import Theorems
from hecv.verdict.turns import Turned, prove_by_turns

if TYPE_CHECKING:
    from hecv.egraph.record import Record

HINT_STYLES: Final = (Style.DISTINCT, Style.PLAIN, Style.EDGES, Style.ZEROS)
LONG_INPUTS: Final = 5
"""So many inputs on which the source does not finish, and none on which it does, end the search."""

THEOREM_SECONDS: Final = 20.0
BRIEF_SECONDS: Final = 5.0
"""For the loop theorems where they are all there is, and where array dataflow failed before."""

TURN_SECONDS: Final = 5.0
PART_OPERATIONS: Final = OPERATIONS // 4
"""For a proof turn by turn, and isl operations for each part."""

MOST_POINTS: Final = 1000
"""So many inputs are drawn of a function without sizes."""

SHORT_BUDGET: Final = 200_000
"""Steps of a run where indices may wrap or functions call themselves: a loop to the other end of the type does not end
anyway."""

SHORT_RUN: Final = 500_000
"""Steps of a run before the proof, where inputs have sizes: a tenth of a second."""

REPEATED_INPUTS: Final = 100
SMALL_INPUT: Final = 16

AIMED: Final = 2
"""So many inputs are made of values that show a difference of two terms."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is asked: two functions of two modules, and under which assumptions; with `recording`, a proof is
    to be written down. After so many `seconds` the worker is ended. It may use so many `cores`."""

    modules: tuple[ParsedModule, ParsedModule]
    names: tuple[str, str]
    constraints: tuple[Constraint, ...]
    switches: Switches
    strategy: Strategy
    seed: int
    crosscheck: bool
    recording: bool = False
    seconds: float = 60.0
    cores: int = 1


@dataclass(frozen=True, slots=True)
class Known:
    """What may be known of a pair from other pairs with its source: the terms that both have, and what was made of
    the functions alone."""

    pool: TermPool = field(default_factory=TermPool)
    once: Once = field(default_factory=Once)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why array dataflow cannot hold one of the functions: the statement and the number of the side; no statement
    where a switch excludes the pair."""

    text: str
    side: int
    statement: int | None


def read(task: Task, known: Known) -> tuple[Function, Function]:
    """The functions of a task.

    Raises: Unsupported where one has a part without semantics.
    """
    return known.once(read_pair, task.modules, task.names, known.pool, task.switches.index_width, known.once)


class Case:
    """The pair of functions of a task, read and compiled.

    `pair` is None where array dataflow cannot hold one of them; `refusal` says why there can be no proof. `aligned`
    tells that both have the same statements but for what these compute.
    """

    def __init__(self, task: Task, stage: Stage, known: Known | None = None) -> None:
        """Raises: Unsupported where a function has a part without semantics."""
        self.task = task
        self._once = None if known is None else known.once
        known = known or Known()
        self.pool = known.pool
        functions = read(task, known)
        self.functions = overlapping(functions, task.switches)
        first, second = self.functions
        called = recursion.calls(self.functions)
        # What is assumed of a function's arguments need not hold where it calls itself.
        given = () if task.names[0] in {*first.callees, *second.callees} else task.constraints
        self.constrain: list[Term] = [c.term(self.pool, first) for c in given]
        mode, freedom = task.switches.floats, task.switches.freedom()
        _require_wide(self.functions, mode)
        budget = SHORT_BUDGET if task.switches.index_wraps or called else BUDGET
        self.aligned = same_shape(*self.functions)
        orders = terms_of(first), terms_of(second)
        self.is_long = self.aligned and is_long(orders)
        self._begun = self._begin_sweep(orders)
        try:
            self.trials = Trials(first, second, task.switches.index_width, budget, mode, freedom, self._once)
        except Unsupported:
            self.end()
            raise
        self._overlapping = task.switches.may_overlap and overlap.may_share(self.functions)
        self.pair, self.refusal = (None, None) if self.is_long else self._flatten()
        loose = mode != "strict" or any(map(licensed, {t.attrs for order in orders for t in order}))
        self.aimed: Difference | None = None
        """What was seen on an input that was made to show it."""
        self.proved: Proved | None = None
        """The latest proof by array dataflow."""
        self.turned: Turned | None = None
        """The proof turn by turn."""
        self.bounded = False
        """Whether there is a proof with whiles as loops of some number of turns."""
        self.recorded: tuple[Record, Tools] | None = None
        """The steps of a sweep that proved the pair, and what it used."""
        self.comparer = Comparer(self.pool, task.switches.index_width, task.strategy, mode, loose)
        self.loop_rules = LoopRules()
        self._stage = stage
        self._random = Random(task.seed)
        found = literals(self.functions)
        modest = self.pair is None and (not self.is_long or any(map(indexes_by_inputs, self.functions)))
        modest = modest or (self.pair is not None and self.pair.indirect)
        self._draw = Draw(first, found, self._random, modest, self.trials.exact is not None)
        self._points = self._tried(tuple(v for v in found if abs(v) <= LARGEST_INTERESTING))
        if task.switches.index_wraps:
            self._points = _in_turn(self._points, far(first, found, task.switches.index_width, self._random))
        self._turn = 0
        self._seen: set[str] = set()
        self._repeated = 0
        self.too_large = 0

    def _flatten(self) -> tuple[Pair | None, Refusal | None]:
        text = unproved_by_dataflow(self.functions, self.task.switches, self.constrain)
        try:
            return self._make_pair(), None if text is None else Refusal(text, 0, None)
        except Refused as refused:
            return None, Refusal(refused.text, 0 if refused.side == "S" else 1, refused.statement)
        except NotAffine as problem:  # of an assumption
            return None, Refusal(f"an assumption about {problem.text}", 0, None)

    def _make_pair(self) -> Pair:
        return Pair(self.pool, *self.functions, self.constrain, self.task.switches.index_width, once=self._once)

    def prove(self, operations: int = OPERATIONS) -> Proved | Stuck | None:
        """The outcome of the proof within a budget of isl operations; None where isl cannot hold the pair."""
        if self.pair is None or self.refusal is not None or not self.task.strategy.dataflow:
            return None
        outcome = prove(self.pair, operations, self.comparer.scalars)
        self.proved = outcome if isinstance(outcome, Proved) else self.proved
        return outcome

    def has_one_form(self) -> bool:
        """Whether both functions have one normal form, and no switch excludes the pair: then they are equivalent."""
        return self.pair is not None and self.refusal is None and is_same(self.pair)

    def flatten(self) -> None:
        """Makes isl see a pair that was too long for it to be asked first."""
        self.pair, self.refusal = self._flatten()

    def sweep(self, refuted: bool) -> Swept | None:
        """The outcome of the proof by sweeping, which is brief where the pair is refuted; None where a switch excludes
        the pair."""
        if not self._may_sweep():
            return None
        seconds = sweeping.BRIEF_SECONDS if refuted else sweeping.SECONDS
        refute = (lambda functions, became: False) if refuted else self._aim
        record, begun = self._record(), self._begun
        swept = sweep(self.pool, self.functions, self.task.switches.index_width, seconds, refute, record, begun)
        self._begun = None
        if record is not None and swept is not None and swept.tools is not None:
            self.recorded = record, swept.tools
        return swept

    def _may_sweep(self) -> bool:
        strategy, switches = self.task.strategy, self.task.switches
        if not strategy.static or strategy.engine != "auto" or not self.aligned or switches.floats != "strict":
            return False
        return all(f.known for f in self.functions) and unproved(self.functions, switches, self.constrain) is None

    def _begin_sweep(self, orders: Orders) -> Begun | None:
        """Begins the proof by sweeping of a pair that is so long that others sweep beside, while this process compiles
        and runs it; None for any other."""
        cores = self.task.cores
        if self.task.recording or not self.is_long or parts_of(orders, cores) == 1 or same_program(*self.functions):
            return None
        if not self._may_sweep():
            return None
        return begin(self.pool, self.functions, self.task.switches.index_width, sweeping.SECONDS, cores=cores)

    def end(self) -> None:
        """Ends what goes on beside this process: nothing needs it."""
        if self._begun is not None:
            self._begun.end()
            self._begun = None

    def _aim(self, functions: tuple[Function, Function], became: Callable[[Term], Term]) -> bool:
        """Whether an input aimed at what a sweep left over shows a difference, which is then `aimed`."""
        self.enter("aiming at a difference")
        deadline, width = process_time() + aiming.SECONDS, self.task.switches.index_width
        aim = aiming.Aim(functions[0], width)
        orders = terms_of(functions[0]), terms_of(functions[1])
        failing = aiming.failures(functions, width, deadline)
        for model in chain(failing, aiming.models(self.pool, orders, became, width, deadline)):
            for turn, point in enumerate(islice(self._points, AIMED if model else 0)):
                arguments = self._draw.arguments(point, STYLES[turn % len(STYLES)])
                arguments = arguments and aim.arguments(arguments, model)
                if arguments is None or not self.allowed(arguments):
                    continue
                self.aimed = self.trials.attempt(arguments)
                if self.aimed is not None:
                    return True
            if process_time() > deadline:
                break
        self.enter("sweeping")
        return False

    def _record(self) -> Record | None:
        """What takes the steps of a sweep, where proofs are to be written down."""
        if not self.task.recording:
            return None
        # The e-graph takes a tenth of a second to load, and most pairs need none.
        from hecv.egraph.record import Record

        return Record()

    def prove_by_element(self) -> Same | Open | None:
        """The outcome of the proof element by element; None where floats are no real numbers, where control flow or a
        subscript depends on an input, or where a switch excludes the pair."""
        strategy, switches = self.task.strategy, self.task.switches
        if switches.floats != "real" or strategy.engine != "auto" or not self.trials.runnable:
            return None
        if dynamic_extents(self.functions[0]):
            return None
        arguments = self._draw.arguments({}, Style.PLAIN)
        if arguments is None or not strategy.static or unproved(self.functions, switches, self.constrain) is not None:
            return None
        return prove_by_element(self.pool, self.functions, self.trials, arguments, switches.index_width)

    def prove_by_turns(self) -> Turned | None:
        """The outcome of the proof turn by turn of loops that are not counted; None where there are none, where that is
        not shown, or where a switch excludes the pair."""
        strategy, switches = self.task.strategy, self.task.switches
        if self.pair is not None or not strategy.dataflow or switches.floats != "strict":
            return None
        if unproved(self.functions, switches, self.constrain) is not None:
            return None
        width, seconds = switches.index_width, TURN_SECONDS
        self.turned = prove_by_turns(self.pool, self.functions, width, self._prove_part, seconds)
        return self.turned

    def prove_bounded(self) -> Turned | None:
        """The outcome of the proof with loops that are not counted as loops of some number of turns; None where there
        are none, where that is not shown, or where a switch excludes the pair."""
        if self.pair is not None or not self.task.strategy.dataflow:
            return None
        if unproved_by_dataflow(self.functions, self.task.switches, self.constrain) is not None:
            return None
        whiles = [sum(isinstance(s, While) for s in walk(f.body)) for f in self.functions]
        outcome = self._prove_part(self.functions, True) if all(whiles) else None
        self.bounded = outcome is not None
        return outcome and Turned(outcome.one_way, outcome.statistics, min(whiles), None)

    def _prove_part(self, functions: tuple[Function, Function], whiles: bool = False) -> Proved | None:
        try:
            pair = Pair(self.pool, *functions, self.constrain, self.task.switches.index_width, whiles)
        except (Refused, NotAffine):
            return None
        outcome = prove(pair, PART_OPERATIONS, self.comparer.scalars)
        return outcome if isinstance(outcome, Proved) else None

    def prove_by_theorems(self) -> Theorems | None:
        """The outcome of the proof by loop theorems, which take `index` to have 64 bits; None where a switch excludes
        the pair, where an op has no semantics, and where one shows which NaN a float is: float laws hold up to that."""
        if self.task.switches.index_width != 64 or (self.refusal is not None and self.refusal.statement is None):
            return None
        if unproved(self.functions, self.task.switches, self.constrain) is not None:
            return None
        if any(exposes(t) for f in self.functions for t in terms_of(f)) or not self.trials.runnable:
            return None
        strategy = self.task.strategy
        alone = strategy.engine == "theorems" or not strategy.dynamic
        seconds = THEOREM_SECONDS if alone else BRIEF_SECONDS
        rules = self.comparer.proved_laws(), self.loop_rules.usable
        return theorems.prove(self.pool, self.functions, self.constrain, strategy, seconds, *rules)

    def admit_rules(self) -> Diagnostic | None:
        """Judges the rules of users that may fire on what the functions compute; the error where one is false."""
        if not self.task.strategy.rules:
            return None
        self.enter("auditing rules")
        if any(isinstance(s, Loop | While) for f in self.functions for s in walk(f.body)):
            self.loop_rules = admitted(self.task.strategy.rules)
        terms = [t for f in self.functions for t in terms_of(f)]
        return self.loop_rules.false or self.comparer.admit(
            terms, lambda rule: self.enter(f"auditing the rule '{rule}'")
        )

    def enter(self, stage: str) -> None:
        """Tells the parent what is being done now."""
        self._stage(stage, self.trials.runs)

    def allowed(self, arguments: tuple[Value, ...]) -> bool:
        """Whether the arguments respect the assumptions."""
        return all(c.holds(self.functions[0], arguments) for c in self.task.constraints)

    def first_search(self, seconds: float, most: int) -> Difference | None:
        """`search` among inputs on which a run is short, where there are such: one of some size may take a second."""
        if not self.has_sizes():
            return self.search(seconds, most)
        difference = self.search(seconds, most, SHORT_RUN)
        if difference is None and self.trials.cut and not self.trials.runs:
            return self.search(seconds, most)
        return difference

    def search(self, seconds: float, most: int, steps: int | None = None) -> Difference | None:
        """A difference on one of at most `most` new inputs; at least one is run, however long it takes. Runs of more
        than so many `steps` do not count.

        `seconds` are of this process: what is found is not to depend on what else the machine does.
        """
        deadline = process_time() + seconds
        if not self.trials.runnable:
            return None
        for point in islice(self._points, most):
            style = STYLES[self._turn % len(STYLES)]
            self._turn += 1
            difference = self._try(point, style, steps)
            if difference is not None or process_time() > deadline or self._vain():
                return difference
        return None

    def _vain(self) -> bool:
        """Whether further inputs are unlikely to say anything: all are too long, or repeat what was run."""
        one_size = self.pair is not None and not self.pair.parameters.names and not recursion.calls(self.functions)
        too_long = self.trials.source_long >= (1 if one_size else LONG_INPUTS) and not self.trials.runs
        return too_long or self._repeated >= REPEATED_INPUTS

    def run_compiled(self) -> Difference | None:
        """A difference on an input that only MLIR's JIT can run to its end.

        Requires: a proof after which both functions may be compiled (`hecv.verdict.compiled`).
        """
        if not self.trials.runnable or self.trials.exact is not None:
            return None  # compiled code does not say whether it rounds
        for point in islice(self._points, 1):
            arguments = self._draw.arguments(point, Style.PLAIN)
            if arguments is None or not self.allowed(arguments):
                continue
            finished, difference = compiled.attempt(
                self.task.modules, self.functions, arguments, self.task.switches.index_width
            )
            if finished:
                self.trials.runs += 1
                self.trials.compiled += 1
            return difference
        return None

    def search_at(self, hints: tuple[dict[Term, int], ...]) -> Difference | None:
        """A difference at one of the points that a failed proof names."""
        for point in hints if self.trials.runnable else ():
            full = {**dict.fromkeys(self._scalars(), 0), **point}
            for style in HINT_STYLES:
                difference = self._try(full, style)
                if difference is not None:
                    return difference
        return None

    def has_sizes(self) -> bool:
        """Whether iterations or shapes may depend on the arguments."""
        if self.pair is None and self.is_long:
            return any(map(indexes_by_inputs, self.functions)) or bool(dynamic_extents(self.functions[0]))
        return self.pair is None or bool(self.pair.parameters.names)

    def is_vacuous(self) -> bool:
        """Whether no values of the sizes respect the assumptions and keep the source in bounds."""
        if self.pair is None or self.trials.runs:
            return False
        return self.pair.is_vacuous()

    def _scalars(self) -> tuple[Term, ...]:
        return tuple(self.pair.parameters.names) if self.pair is not None else ()

    def _try(self, point: Point, style: Style, steps: int | None = None) -> Difference | None:
        shared = self._overlapping and self._turn % 2 == 1
        whole = shared and self._turn % 4 == 1
        arguments = self._draw.arguments(overlap.even(self.functions[0], point) if whole else point, style)
        if arguments is None:
            self.too_large += 1
            return None
        if shared:
            arguments = (overlap.share if whole else overlap.shift)(self.functions, arguments, self._random)
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
        text = f"{arguments} {overlap.sharing(arguments)}"
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
        if self.pair is None or self.pair.indirect:
            return guesses(self.functions[0], interesting, self._random)
        return points(self.pair, interesting, self._random)

    def skipped(self) -> str | None:
        """What was not run and why, None where there is nothing to say."""
        parts = [self.trials.skipped() or ""]
        if self.too_large:
            parts.append("inputs with more than a million elements are not made")
        if not self.trials.runs and not any(parts):
            parts.append("no input was found on which the source is defined")
        return "; ".join(p for p in parts if p) or None


def _require_wide(functions: tuple[Function, Function], mode: FloatMode) -> None:
    """Raises: Unsupported for floats of 8 bits that are to be regrouped: not all have infinities and two zeros."""
    kinds = {t.type for f in functions for t in terms_of(f)} if mode != "strict" else set[ScalarType]()
    for kind in kinds:
        if isinstance(kind, FloatType) and kind.small:
            raise Unsupported(f"under `--fp {mode}`, floats of type {kind} are not supported", functions[1].location)


def _in_turn(first: Iterator[Point], second: Iterator[Point]) -> Iterator[Point]:
    """What two iterators give, in turn; what is left where one has ended."""
    for pair in zip_longest(first, second):
        yield from (point for point in pair if point is not None)
