"""One pair of functions under decision: both as trees and as isl sees them, and inputs to run them on."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, Unsupported
from hecv.base.memo import Once
from hecv.base.term import Term, TermPool
from hecv.claim import call_induction
from hecv.claim.assumptions import Constraint
from hecv.claim.semantic_options import Switches, overlapping, require_wide, unproved, unproved_by_dataflow
from hecv.claim.strategy import Strategy
from hecv.dataflow.dataflow_proof import Proved, Stuck, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import OPERATIONS, Pair
from hecv.dataflow.same_normal_form import is_same
from hecv.elements.element_outcome import SMALL, Budget, Open, Same
from hecv.mlir.importer import ParsedModule, read_pair
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import CLAMP
from hecv.ops.registry import licensed
from hecv.process.forked_child import Beside
from hecv.process.worker_main import Stage, waited
from hecv.program.refusal import Refused
from hecv.program.structural_equality import same_program, same_shape
from hecv.program.tree import Function, Loop, While, walk
from hecv.prove.elementwise_reals import prove_by_element
from hecv.prove.isl_pair import gathered, paired
from hecv.prove.loops import loop_theorems
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.loops.user_loop_rules import LoopRules, admitted
from hecv.prove.normal_form_identity import Formed, formed, may_be_formed
from hecv.prove.terms import sat_sweeping
from hecv.prove.terms.sat_sweeping import Begun, Entered, Orders, Swept, Tools, begin, enter, is_long, parts_of, sweep
from hecv.prove.terms.scalar_comparison import Comparer
from hecv.prove.whiles.closed_form import Closed
from hecv.refute import directed_inputs, jit_runs
from hecv.refute.differential_runs import BUDGET, Difference, Trials
from hecv.refute.input_generation import STYLES, Style, dynamic_extents
from hecv.refute.input_search import Search
from hecv.run.interpreter.outcome_analysis import terms_of

if TYPE_CHECKING:
    from hecv.prove.whiles.while_induction import Turned
    from hecv.sweep.cuts.merge_record import Record

TURN_SECONDS: Final = 5.0
PART_OPERATIONS: Final = OPERATIONS // 4
"""For a proof turn by turn, and isl operations for each part."""

SHORT_BUDGET: Final = 200_000
"""Steps of a run where indices may wrap or functions call themselves: a loop to the other end of the type does not end
anyway."""

AIMED: Final = 2
"""So many inputs are made of values that show a difference of two terms."""


class Task(Struct, frozen=True):
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
    tells that both have the same statements but for what these compute.
    """

    def __init__(self, task: Task, stage: Stage, known: Known | None = None) -> None:
        """Raises: Unsupported where a function has a part without semantics."""
        self.task = task
        self._started = perf_counter() - waited()
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
        self.aimed: Difference | None = None
        """What was seen on an input that was made to show it."""
        self.formed: Formed | None = None
        """What was found beside this process, where it shows the functions equal."""
        self.proved: Proved | None = None
        """The latest proof by array dataflow."""
        self.turned: Turned | None = None
        """The proof turn by turn."""
        self.apart: Turned | None = None
        """The proof with the ways through whiles apart."""
        self.closed: Closed | None = None
        """The proof that a while computes a formula."""
        self.bounded = False
        """Whether there is a proof with whiles as loops of some number of turns."""
        self.recorded: tuple[Record, Tools] | None = None
        """The steps of a sweep that proved the pair, and what it used."""
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
        return paired(self.pool, self.functions, self.constrain, self.task.switches.index_width, self._once)

    def _make_alone(self) -> Pair | None:
        """The source and itself as isl sees them, None where it does not hold that."""
        if self.is_long or self.refusal is None:
            return None
        try:
            source = self.functions[0]
            return Pair(self.pool, source, source, self.constrain, self.task.switches.index_width)
        except (Refused, NotAffine):
            return None

    def prove(self, operations: int = OPERATIONS) -> Proved | Stuck | None:
        """The outcome of the proof within a budget of isl operations; None where isl cannot hold the pair."""
        if self.pair is None or self.refusal is not None or not self.task.strategy.dataflow:
            return None
        outcome = prove(self.pair, operations, self.comparer.scalars)
        if isinstance(outcome, Stuck) and outcome.reason != "budget" and self.pair.indirect and not self.pair.gathered:
            outcome = self._prove_gathered(operations) or outcome
        self.proved = outcome if isinstance(outcome, Proved) else self.proved
        return outcome

    def _prove_gathered(self, operations: int) -> Proved | None:
        """The proof with accesses at subscripts from memory as loops over elements, of which `pair` then is; None where
        there is none."""
        pair = gathered(self.pool, self.functions, self.constrain, self.task.switches.index_width, self._once)
        outcome = None if pair is None else prove(pair, operations, self.comparer.scalars)
        if not isinstance(outcome, Proved):
            return None
        self.pair = pair
        return outcome

    def has_one_form(self) -> bool:
        """Whether both functions have one normal form, and no switch excludes the pair: then they are equivalent."""
        if self._forming is not None:
            found, self._forming = self._forming.result(), None
            if found is not None and (found.same or found.proved is not None) and self.trials.runs:
                self.formed = found
                return found.same
            self.flatten()
            if found is not None and not found.same:
                return False
        return self.pair is not None and self.refusal is None and is_same(self.pair)

    def is_forming(self) -> bool:
        """Whether normal forms are made beside this process; `has_one_form` waits for what comes of it."""
        return self._forming is not None

    def flatten(self) -> None:
        """Makes isl see a pair that was too long for it to be asked first."""
        self.pair, self.refusal = self._flatten()
        self.inputs.pair = self.pair

    def sweep(self, refuted: bool) -> Swept | None:
        """The outcome of the proof by sweeping, which is brief where the pair is refuted; None where a switch excludes
        the pair."""
        if not self._may_sweep():
            return None
        seconds = sat_sweeping.BRIEF_SECONDS if refuted else sat_sweeping.SECONDS
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
        if not self._may_sweep():
            return None
        width, entered = self.task.switches.index_width, self._entered
        return begin(self.pool, self.functions, width, sat_sweeping.SECONDS, cores=cores, entered=entered)

    def _begin_forms(self, orders: Orders) -> Beside | None:
        """Begins to make the normal forms of a pair without sizes that is so long that they are made beside, while this
        process compiles and runs it; None for any other."""
        task, strategy = self.task, self.task.strategy
        if self.is_long or task.cores == 1 or task.recording or task.crosscheck:
            return None
        if strategy.engine != "auto" or not strategy.dynamic or not may_be_formed(self.functions, orders):
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

    def _aim(self, functions: tuple[Function, Function], became: Callable[[Term], Term]) -> bool:
        """Whether an input aimed at what a sweep left over shows a difference, which is then `aimed`."""
        self.enter("aiming at a difference")
        deadline, width = process_time() + directed_inputs.SECONDS, self.task.switches.index_width
        aim = directed_inputs.Aim(functions[0], width)
        orders = terms_of(functions[0]), terms_of(functions[1])
        for model in directed_inputs.inputs(self.pool, functions, orders, became, width, deadline):
            for turn, point in enumerate(islice(self.inputs.points, AIMED if model else 0)):
                arguments = self.inputs.draw.arguments(point, STYLES[turn % len(STYLES)])
                arguments = arguments and aim.arguments(arguments, model)
                if arguments is None or not self.inputs.allowed(arguments):
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
        from hecv.sweep.cuts.merge_record import Record

        return Record()

    def prove_by_element(self, budget: Budget = SMALL) -> Same | Open | None:
        """The outcome of the proof element by element; None where floats are no real numbers, where control flow or a
        subscript depends on an input, or where a switch excludes the pair."""
        strategy, switches = self.task.strategy, self.task.switches
        if switches.floats != "real" or strategy.engine != "auto" or not self.trials.runnable:
            return None
        if dynamic_extents(self.functions[0]):
            return None
        arguments = self.inputs.draw.arguments({}, Style.PLAIN)
        if arguments is None or not strategy.static or unproved(self.functions, switches, self.constrain) is not None:
            return None
        width = switches.index_width
        return prove_by_element(self.pool, self.functions, self.trials, arguments, width, budget)

    def prove_by_turns(self) -> Turned | None:
        """The outcome of the proof turn by turn of loops that are not counted; None where there are none, where that is
        not shown, or where a switch excludes the pair."""
        strategy, switches = self.task.strategy, self.task.switches
        if self.pair is not None or not strategy.dataflow or switches.floats != "strict":
            return None
        if unproved(self.functions, switches, self.constrain) is not None:
            return None
        # How proofs are written down is loaded with it, and few functions have such loops.
        from hecv.prove.whiles.while_induction import prove_by_turns

        width, seconds = switches.index_width, TURN_SECONDS
        self.turned = prove_by_turns(self.pool, self.functions, width, self.prove_part, seconds)
        return self.turned

    def prove_bounded(self) -> Turned | None:
        """The outcome of the proof with loops that are not counted as loops of some number of turns; None where there
        are none, where that is not shown, or where a switch excludes the pair."""
        if self.pair is not None or not self.task.strategy.dataflow:
            return None
        if unproved_by_dataflow(self.functions, self.task.switches, self.constrain) is not None:
            return None
        whiles = [sum(isinstance(s, While) for s in walk(f.body)) for f in self.functions]
        outcome = self.prove_part(self.functions, True) if all(whiles) else None
        self.bounded = outcome is not None
        if outcome is None:
            return None
        from hecv.prove.whiles.while_induction import Turned  # few functions have such loops

        return Turned(outcome.one_way, outcome.statistics, min(whiles), None)

    def prove_part(self, functions: tuple[Function, Function], whiles: bool = False) -> Proved | None:
        """How a proof about functions made of those of the pair ended; None where there is none. With `whiles` loops
        that are not counted are of some number of turns."""
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
        rules = self.comparer.proved_laws(), self.loop_rules.usable
        return loop_theorems.prove(self.pool, self.functions, self.constrain, self.task.strategy, *rules)

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
        return self.task.seconds - (perf_counter() - waited() - self._started)

    def enter(self, stage: str) -> None:
        """Tells the parent what is being done now."""
        self._stage(stage, self.trials.runs)

    def run_compiled(self) -> Difference | None:
        """A difference on an input that only MLIR's JIT can run to its end.

        Requires: `may_be_compiled` of a proof, or of what one shows that stopped.
        """
        if not self.trials.runnable or self.trials.exact is not None or self.trials.excluded:
            return None  # compiled code says neither whether it rounds nor whether it leaves what is assumed
        for point in islice(self.inputs.points, 1):
            arguments = self.inputs.draw.arguments(point, Style.PLAIN)
            if arguments is None or not self.inputs.allowed(arguments):
                continue
            finished, difference = jit_runs.attempt(
                self.task.modules, self.functions, arguments, self.task.switches.index_width
            )
            if finished:
                self.trials.runs += 1
                self.trials.compiled += 1
            return difference
        return None

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
