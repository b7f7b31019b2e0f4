"""One pair of functions under decision: both as trees and as isl sees them, and inputs to run them on."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, Unsupported
from hecv.base.memo import Once
from hecv.base.term import Term, TermPool
from hecv.claim import call_induction
from hecv.claim.assumptions import Constraint
from hecv.claim.semantic_options import Switches, overlapping, require_wide, unproved, unproved_by_dataflow
from hecv.claim.strategy import Strategy
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.mlir.importer import ParsedModule, read_pair
from hecv.ops.facts.poison_conditions import CLAMP
from hecv.ops.registry import licensed
from hecv.process.forked_child import Beside
from hecv.process.worker_main import Stage
from hecv.program.refusal import Refused
from hecv.program.structural_equality import same_program, same_shape
from hecv.program.tree import Function, Loop, While, walk
from hecv.prove.loops.user_loop_rules import LoopRules, admitted
from hecv.prove.pair.isl_pair import gathered, paired
from hecv.prove.pair.normal_form_identity import BESIDE, Formed, formed, may_be_formed
from hecv.prove.pair.prover import Goal
from hecv.prove.terms import sat_sweeping
from hecv.prove.terms.sat_sweeping import Begun, Entered, Orders, begin, enter, is_long, parts_of
from hecv.prove.terms.scalar_comparison import Comparer
from hecv.refute.differential_runs import BUDGET, Trials
from hecv.refute.input_search import Search
from hecv.run.interpreter.outcome_analysis import terms_of

SHORT_BUDGET: Final = 200_000
"""Steps of a run where indices may wrap or functions call themselves: a loop to the other end of the type does not end
anyway."""


class Task(Struct, frozen=True):
    """What a worker is asked: two functions of two modules, and under which assumptions; with `recording`, a proof is
    to be written down. After so many `seconds` the worker is ended. It may use so many `cores`. With
    `advise`, what may turn the answer is looked for, too."""

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
    advise: bool = False


class Known(Struct, frozen=True):
    """What may be known of a pair from other pairs with its source: the terms that both have, and what was made of
    the functions alone. What is in `laws` was made of the laws, and may be known from any pair."""

    pool: TermPool = field(default_factory=TermPool)
    once: Once = field(default_factory=Once)
    laws: Once = field(default_factory=Once)


class Refusal(Struct, frozen=True):
    """Why array dataflow cannot hold one of the functions: the statement and the number of the side; no statement
    where a switch excludes the pair."""

    text: str
    side: int
    statement: int | None


def read(task: Task, known: Known, meanwhile: Callable[[Function], None] | None = None) -> tuple[Function, Function]:
    """The functions of a task; `meanwhile` may begin with the source while the target is read.

    Raises: Unsupported where one has a part without semantics.
    """
    width = task.switches.index_width
    return known.once(read_pair, task.modules, task.names, known.pool, width, known.once, task.cores, meanwhile)


class Case:
    """The pair of functions of a task, read and compiled.

    `pair` is None where array dataflow cannot hold one of them; `refusal` says why there can be no proof. `aligned`
    tells that both have the same statements but for what these compute, `is_long` that they are swept first. Where
    `forms_beside`, normal forms are made beside the first runs.
    """

    def __init__(self, task: Task, stage: Stage, known: Known | None = None) -> None:
        """Raises: Unsupported where a function has a part without semantics."""
        self.task = task
        self._started = perf_counter()
        self._once = None if known is None else known.once
        known = known or Known()
        self.pool = known.pool
        self._entered: Entered | None = None
        functions = read(task, known, self._enter if self._once is None else None)
        self.functions = overlapping(functions, task.switches)
        first, second = self.functions
        called = call_induction.calls(self.functions)
        # What is assumed of a function's arguments need not hold where it calls itself.
        given = () if task.names[0] in {*first.callees, *second.callees} else task.constraints
        self.constrain: list[Term] = [c.term(self.pool, first) for c in given]
        mode, freedom = task.switches.floats, task.switches.freedom()
        require_wide(self.functions, task.switches)
        budget = SHORT_BUDGET if task.switches.index_wraps or called else BUDGET
        self.aligned = same_shape(*self.functions)
        orders = terms_of(first), terms_of(second)
        self.is_long = self.aligned and is_long(orders)
        self._begun = self._begin_sweep(orders)
        self._entered = None
        self._forming = self._begin_forms(orders)
        self.forms_beside = self._forming is not None
        try:
            self.trials = Trials(first, second, task.switches.index_width, budget, mode, freedom, self._once)
        except Unsupported:
            self.end()
            raise
        self.pair, self.refusal = (None, None) if self.is_long or self._forming else self._flatten()
        self.inputs = Search(
            self.trials,
            self.functions,
            self.pair,
            self.is_long or self._forming is not None,
            task.constraints,
            task.switches,
            task.seed,
            self._make_alone,
        )
        loose = mode != "strict" or any(map(licensed, {t.attrs for order in orders for t in order}))
        expands = not any(t.op == CLAMP for t in orders[1])
        self.comparer = Comparer(self.pool, task.switches.index_width, task.strategy, mode, loose, known.laws, expands)
        self.loop_rules = LoopRules()
        self._stage = stage

    def _flatten(self) -> tuple[Pair | None, Refusal | None]:
        text = unproved_by_dataflow(self.functions, self.task.switches, self.constrain)
        try:
            return self._make_pair(), None if text is None else Refusal(text, 0, None)
        except Refused as refused:
            return None, Refusal(refused.text, 0 if refused.side == "S" else 1, refused.statement)
        except NotAffine as problem:  # of an assumption
            return None, Refusal(f"an assumption about {problem.text}", 0, None)

    def _make_pair(self) -> Pair:
        width, without = self.task.switches.index_width, self.task.strategy.without
        return paired(self.pool, self.functions, self.constrain, width, self._once, without)

    def _make_alone(self) -> Pair | None:
        """The source and itself as isl sees them, None where it does not hold that."""
        if self.is_long or self.refusal is None:
            return None
        try:
            source = self.functions[0]
            return Pair(self.pool, source, source, self.constrain, self.task.switches.index_width)
        except (Refused, NotAffine):
            return None

    def goal(self) -> Goal:
        """What is to be shown, for provers that take any two functions."""
        task = self.task
        return Goal(self.pool, self.functions, self.constrain, task.switches, self.comparer, task.strategy.without)

    def anew(self) -> Goal:
        """The same of functions that are read anew, as for a replay: what terms a search has made must not show in how
        they are numbered."""
        task, pool = self.task, TermPool()
        width = task.switches.index_width
        functions = overlapping(read_pair(task.modules, task.names, pool, width), task.switches)
        constrain = [c.term(pool, functions[0]) for c in task.constraints if self.constrain]
        return Goal(pool, functions, constrain, task.switches, Comparer(pool, width, Strategy(), task.switches.floats))

    def gathered(self) -> Pair | None:
        """The pair with accesses at subscripts from memory as loops over elements; None where isl holds none."""
        width, without = self.task.switches.index_width, self.task.strategy.without
        return gathered(self.pool, self.functions, self.constrain, width, self._once, without)

    def await_forms(self) -> Formed | None:
        """What came of the normal forms that are made beside this process; None where that failed."""
        assert self._forming is not None
        found, self._forming = self._forming.result(), None
        return found

    def is_forming(self) -> bool:
        """Whether normal forms are made beside this process now; `await_forms` waits for what comes of it."""
        return self._forming is not None

    def flatten(self) -> None:
        """Makes isl see a pair that was too long for it to be asked first."""
        self.pair, self.refusal = self._flatten()
        self.inputs.pair = self.pair

    def begun_sweep(self) -> Begun | None:
        """The sweep that was begun beside this process, to whoever goes on with it; None where there is none."""
        begun, self._begun = self._begun, None
        return begun

    def may_sweep(self) -> bool:
        """Whether no switch excludes a proof statement by statement."""
        strategy, switches = self.task.strategy, self.task.switches
        if not strategy.static or strategy.engine != "auto" or not self.aligned or switches.floats != "strict":
            return False
        return all(f.known for f in self.functions) and unproved(self.functions, switches, self.constrain) is None

    def _enter(self, source: Function) -> None:
        """Begins to sweep a source that seems to be part of such a pair, while another process reads the target."""
        strategy, switches = self.task.strategy, self.task.switches
        swept = strategy.static and strategy.engine == "auto" and switches.floats == "strict" and source.known
        if swept and not self.task.recording:
            self._entered = enter(self.pool, source, switches.index_width, sat_sweeping.SECONDS)

    def _begin_sweep(self, orders: Orders) -> Begun | None:
        """Begins the proof by sweeping of a pair that is so long that others sweep beside, while this process compiles
        and runs it; None for any other."""
        cores = self.task.cores
        if self.task.recording or not self.is_long or parts_of(orders, cores) == 1 or same_program(*self.functions):
            return None
        if not self.may_sweep():
            return None
        width, entered = self.task.switches.index_width, self._entered
        return begin(self.pool, self.functions, width, sat_sweeping.SECONDS, cores=cores, entered=entered)

    def _begin_forms(self, orders: Orders) -> Beside | None:
        """Begins to make the normal forms of a pair without sizes that is so long that they are made beside, while this
        process compiles and runs it; None for any other."""
        task, strategy = self.task, self.task.strategy
        if self.is_long or task.cores == 1 or task.recording or task.crosscheck:
            return None
        if (
            BESIDE in strategy.without
            or strategy.engine != "auto"
            or not strategy.dynamic
            or not may_be_formed(self.functions, orders)
        ):
            return None
        return Beside(self._formed)

    def _formed(self) -> Formed | None:
        pair, refusal = self._flatten()
        return None if pair is None or refusal is not None else formed(pair, self.task.strategy.dataflow)

    def end(self) -> None:
        """Ends what goes on beside this process: nothing needs it."""
        if self._forming is not None:
            self._forming.end()
            self._forming = None
        if self._begun is not None:
            self._begun.end()
            self._begun = None

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

    def seconds_left(self) -> float:
        """The seconds until the time limit."""
        return self.task.seconds - (perf_counter() - self._started)

    def enter(self, stage: str) -> None:
        """Tells the parent what is being done now."""
        self._stage(stage, self.trials.runs)

    def is_vacuous(self) -> bool:
        """Whether no values of the sizes respect the assumptions and, as far as isl holds it, keep the source in
        bounds."""
        if self.trials.runs:
            return False
        pair = self.pair or self._assumptions_alone()
        return pair is not None and pair.is_vacuous()

    def _assumptions_alone(self) -> Pair | None:
        """What is assumed of the arguments, and functions that do nothing with them; None where nothing is."""
        if not self.task.constraints:
            return None
        first = replace(self.functions[0], body=())
        constrain = [c.term(self.pool, first) for c in self.task.constraints]
        try:
            return Pair(self.pool, first, first, constrain, self.task.switches.index_width)
        except (Refused, NotAffine):
            return None
