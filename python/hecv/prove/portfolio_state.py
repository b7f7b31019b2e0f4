"""What is known of a pair while the portfolio is gone through: by it the next steps are chosen."""

from __future__ import annotations

from collections import Counter, defaultdict

from msgspec import Struct, field

from hecv.claim import call_induction
from hecv.claim.strategy import Strategy
from hecv.dataflow.dataflow_proof import Stuck
from hecv.elements.element_outcome import Open
from hecv.program.structural_equality import same_program
from hecv.program.tree import Loop, While, walk
from hecv.prove.dataflow.array_dataflow import METHOD, Flow
from hecv.prove.exhaustive_runs import has_inputs
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Proof
from hecv.refute.differential_runs import Difference
from hecv.refute.jit_runs import MOST_LEFT, is_short, may_be_compiled, stay_in_bounds


class Asked(Struct):
    """What came of the steps so far: a `proof`, one in one direction that is put `aside` while others may show both, a
    `difference` (seen `by_jit` alone, on an input that is too long for the interpreter), and how far the latest
    attempts came that proved nothing. `times` counts attempts by name, `seconds` are what they took."""

    case: Case
    proof: Proof | None = None
    aside: Proof | None = None
    difference: Difference | None = None
    by_jit: bool = False
    stuck: Stuck | None = None
    theorems: Theorems | None = None
    elements: Open | None = None
    times: Counter[str] = field(default_factory=Counter[str])
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))

    @property
    def wanted(self) -> bool:
        """Whether a proof is of use. One about what others are called by is none about these: a run does not contradict
        it."""
        if self.proof is not None or self.difference is None:
            return self.proof is None
        return self.case.task.crosscheck and not self.by_jit and not call_induction.calls(self.case.functions)

    # What was asked for

    @property
    def strategy(self) -> Strategy:
        """How the proof is to be sought."""
        return self.case.task.strategy

    @property
    def automatic(self) -> bool:
        """No engine is asked for, and single operators have their laws."""
        return self.strategy.engine == "auto" and self.strategy.static

    @property
    def unforced(self) -> bool:
        """No engine is asked for, nor a crosscheck: then what tests the provers may be answered without them."""
        return self.strategy.engine == "auto" and not self.case.task.crosscheck

    # The pair

    @property
    def strict(self) -> bool:
        """Floats are computed as their ops say."""
        return self.case.task.switches.floats == "strict"

    @property
    def long(self) -> bool:
        """The pair is so long that it is swept before anything else is asked."""
        return self.case.is_long

    @property
    def same(self) -> bool:
        """Both are one program."""
        return same_program(*self.case.functions)

    @property
    def has_loops(self) -> bool:
        """A function has a loop."""
        return any(isinstance(s, Loop | While) for f in self.case.functions for s in walk(f.body))

    @property
    def has_inputs(self) -> bool:
        """Runs may differ: the functions are given values."""
        return has_inputs(self.case.functions[0])

    @property
    def not_a_scop(self) -> bool:
        """Array dataflow does not hold the pair, which is short."""
        return self.case.pair is None and not self.long

    @property
    def may_have_theorems(self) -> bool:
        """Loop theorems may prove the pair, and were not asked before: of long code without loops, there are none."""
        swept = self.long and self.strategy.dataflow and not self.has_loops
        return self.strategy.theorems and self.theorems is None and not swept

    @property
    def changeable(self) -> bool:
        """Array dataflow may be asked about changed functions: the pair is short, and nothing else is asked for."""
        return self.strategy.dataflow and self.automatic and not self.long

    # What came of steps

    @property
    def undecided(self) -> bool:
        """There is neither a proof nor a difference."""
        return self.proof is None and self.difference is None

    @property
    def over_budget(self) -> bool:
        """The proof by array dataflow stopped for want of isl operations."""
        return self.stuck is not None and self.stuck.reason == "budget"

    @property
    def inexact(self) -> bool:
        """Array dataflow stopped where index arithmetic in a condition may overflow."""
        return self.stuck is not None and self.stuck.inexact

    @property
    def at_length(self) -> bool:
        """Array dataflow was given its larger budget."""
        return self.times[METHOD.name] > 1

    @property
    def on_trust(self) -> bool:
        """The proof rests on rules that are not proved."""
        return self.proof is not None and bool(self.proof.shown.trusted)

    @property
    def never_run(self) -> bool:
        """What array dataflow proved was not run, and may be compiled."""
        flow = None if self.proof is None else self.proof.shown.found
        if not isinstance(flow, Flow) or self.case.trials.runs:
            return False
        return may_be_compiled(self.case.functions, flow.proved)

    @property
    def plainly_too_long(self) -> bool:
        """All runs were too long for the interpreter, and literal bounds show that the pair, which is short, may be
        compiled."""
        return self.never_finished and is_short(self.case.functions) and stay_in_bounds(self.case.functions)

    @property
    def copied_too_long(self) -> bool:
        """As `plainly_too_long`, of a pair that is long, and has not one normal form."""
        return self.never_finished and is_short(self.case.functions, MOST_LEFT) and stay_in_bounds(self.case.functions)

    @property
    def never_finished(self) -> bool:
        """All runs were too long for the interpreter, and nothing was compiled."""
        return self.undecided and not self.case.trials.runs and self.case.trials.source_long > 0

    @property
    def too_long_to_run(self) -> bool:
        """All runs were too long for the interpreter; that values are equal is all that array dataflow left open, and
        the pair may be compiled."""
        if self.stuck is None or self.case.trials.runs or not self.case.trials.source_long:
            return False
        return may_be_compiled(self.case.functions, self.stuck)
