"""The provers and the searches for a counterexample, in the order in which they are asked, and the loop that asks.

Provers are asked until there is a proof or a run shows a difference, searches until a run shows a difference. Under
`HECV_CROSSCHECK=1` most provers are asked of what a run refutes, too: a proof is then an error of hecv.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.dataflow.dataflow_proof import Stuck
from hecv.dataflow.pair_model import OPERATIONS
from hecv.elements.element_outcome import Open
from hecv.prove import direct_provers, elementwise_reals, sweep_prover, theorem_prover
from hecv.prove.changed_pair import (
    ASSUMED,
    EXITS_BOUND,
    EXITS_INDUCTION,
    IDLE_ACCESS,
    IDLE_BRANCH,
    INFORMED,
    LOOKED_UP,
    ORDERED_SOURCE,
    RANGED,
    STRICTER,
    STRIDED,
    UNROLLED,
    WRAPPED,
)
from hecv.prove.dataflow import array_dataflow, normal_form_prover
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair.normal_form_identity import BESIDE
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Answer, Budget, Method, Proof, Prover, Shown
from hecv.prove.portfolio_state import Asked
from hecv.prove.search_steps import FIRST_SECONDS, MORE_SECONDS, run_by_jit, run_first, run_more
from hecv.prove.whiles import closed_form
from hecv.prove.whiles.while_methods import BY_BOUND, BY_INDUCTION, BY_SIMULATION
from hecv.refute.differential_runs import Difference


class Search(Struct, frozen=True):
    """A search for an input that shows a difference; `text` says what is done meanwhile."""

    name: str
    text: str
    run: Callable[[Asked, Budget], Difference | None]


class Reading(Struct, frozen=True):
    """What has to be made before others are asked; it answers nothing."""

    name: str
    text: str
    read: Callable[[Case], None]


class Step(Struct, frozen=True):
    """A prover, asked where a proof is wanted, or a search, asked where no difference is known; in either case `when`
    this holds, too."""

    what: Prover | Search | Reading
    when: Callable[[Asked], bool] = lambda asked: True
    budget: Budget = Budget()


def _of_whole(method: Method, text: str) -> Prover:
    """A prover that asks a method about the pair as it is."""
    return Prover(
        method.name,
        text,
        lambda case, budget: method.prove(case.goal(), budget),
        lambda case, shown: method.certify(case.anew(), shown),
    )


IDENTITY: Final = Prover(
    "identity", "the target is the source", direct_provers.prove_identity, direct_provers.certify_identity
)
FORM: Final = Prover(
    "same-normal-form",
    "both functions have one normal form",
    normal_form_prover.prove_form,
    normal_form_prover.certify,
)
FORM_BESIDE: Final = Prover(
    BESIDE,
    "one normal form, or array dataflow without laws, in a process beside the first runs",
    normal_form_prover.prove_beside,
    normal_form_prover.certify,
)
SWEEP: Final = Prover(
    "sat-sweeping",
    "SAT sweeping of the same statements on both sides, equal terms merged operands first",
    sweep_prover.prove_and_aim,
    sweep_prover.certify,
)
SWEEP_ALONE: Final = Prover(SWEEP.name, SWEEP.text, sweep_prover.prove_alone, sweep_prover.certify)
SWEEP_INTEGERS: Final = Prover(SWEEP.name, SWEEP.text, sweep_prover.prove_integers, sweep_prover.certify)
ELEMENTS: Final = Prover(
    "elementwise-reals",
    "each element as an expression over the real numbers, in normal form",
    elementwise_reals.prove,
    elementwise_reals.certify,
)
SIMULATION: Final = _of_whole(
    BY_SIMULATION, "a simulation between loop headers, each path from one to the next by symbolic execution and Z3"
)
INDUCTION: Final = _of_whole(BY_INDUCTION, "induction over the iterations of whiles, each part by array dataflow")
THEOREMS: Final = Prover(
    "loop-theorems",
    "loop theorems and laws in an e-graph over statements",
    theorem_prover.prove,
    theorem_prover.certify,
)
DATAFLOW: Final = Prover(
    "array-dataflow",
    "value-based array dataflow, and induction over statement instances",
    array_dataflow.prove_pair,
    array_dataflow.certify_pair,
)
CLOSED_FORM: Final = Prover(
    "closed-form", "an invariant by which a while computes a formula", closed_form.prove_closed, closed_form.certify
)
BOUND: Final = _of_whole(BY_BOUND, "array dataflow with any bound on the iterations of whiles")
INPUTS: Final = Prover(
    "exhaustive-runs",
    "runs on all inputs, of functions of few bits or without inputs",
    direct_provers.prove_by_inputs,
    direct_provers.certify_inputs,
)

FIRST_RUNS: Final = Search("first-runs", "running on inputs", run_first)
MORE_RUNS: Final = Search("more-runs", "running on more inputs", run_more)
JIT: Final = Search("jit-runs", "running by MLIR's JIT", run_by_jit)
READING: Final = Reading("isl-model", "reading the pair for isl", Case.flatten)

# isl operations of a proof, those of each part of one by parts, and those of a proof about a changed pair
BRIEF: Final = Budget(operations=4_000_000)
WHOLE: Final = Budget(operations=OPERATIONS)
PARTS: Final = Budget(operations=OPERATIONS // 4, seconds=5.0)
CHANGED: Final = Budget(operations=400_000, seconds=10.0)
CHANGING: Final = Budget(operations=2_000_000)
SWEEPING: Final = Budget(seconds=240.0)
RUNS: Final = Budget(seconds=10.0)
STEPS: Final = Budget(seconds=4.0)
FIRST: Final = Budget(seconds=FIRST_SECONDS)
MORE: Final = Budget(seconds=MORE_SECONDS)

PORTFOLIO: Final = (
    Step(IDENTITY, lambda a: a.unforced),
    Step(FORM, lambda a: a.unforced and a.strategy.dataflow),
    Step(FIRST_RUNS, budget=FIRST),
    Step(JIT, lambda a: a.plainly_too_long),
    Step(FORM_BESIDE, lambda a: a.case.forms_beside),
    Step(JIT, lambda a: a.copied_too_long),
    Step(FIRST_RUNS, lambda a: a.case.forms_beside and a.undecided, FIRST),
    Step(SWEEP, lambda a: a.long and a.undecided, SWEEPING),
    Step(SWEEP_ALONE, lambda a: a.long and a.difference is not None, Budget(seconds=5.0)),
    Step(READING, lambda a: a.long),
    Step(
        SWEEP_INTEGERS,
        lambda a: a.undecided and a.unforced and not a.long and not a.strategy.rules,
        Budget(seconds=2.0),
    ),
    Step(ELEMENTS, lambda a: a.automatic),
    Step(INDUCTION, lambda a: a.strategy.dataflow and a.not_a_scop, PARTS),
    Step(EXITS_INDUCTION, lambda a: a.strategy.dataflow and a.strict and a.not_a_scop and a.has_loops, PARTS),
    Step(SIMULATION, lambda a: a.strategy.dataflow and a.automatic and a.not_a_scop and a.has_loops, STEPS),
    Step(STRIDED, lambda a: a.strategy.dataflow and a.automatic and a.not_a_scop and a.has_loops, CHANGING),
    Step(ORDERED_SOURCE, lambda a: a.strategy.dataflow and a.automatic and a.not_a_scop and a.has_loops, CHANGING),
    Step(THEOREMS, lambda a: not a.strategy.dataflow and a.may_have_theorems),
    Step(DATAFLOW, budget=BRIEF),
    Step(SIMULATION, lambda a: a.undecided and a.automatic and not a.not_a_scop and a.has_loops, STEPS),
    Step(INPUTS, lambda a: a.undecided and a.automatic and not a.has_inputs, RUNS),
    Step(WRAPPED, lambda a: a.strategy.dataflow and a.automatic and a.undecided and a.inexact, CHANGING),
    Step(IDLE_BRANCH, lambda a: a.changeable and a.undecided, CHANGED),
    Step(LOOKED_UP, lambda a: a.changeable and a.undecided, CHANGED),
    Step(RANGED, lambda a: a.changeable and a.undecided and a.has_loops, CHANGED),
    Step(MORE_RUNS, lambda a: a.undecided and not a.same, MORE),
    Step(ELEMENTS, lambda a: a.undecided and a.elements is not None and a.elements.long, Budget(share=0.5)),
    Step(DATAFLOW, lambda a: a.over_budget and (a.difference is not None or not a.same), WHOLE),
    Step(MORE_RUNS, lambda a: a.undecided and a.at_length, MORE),
    Step(IDLE_ACCESS, lambda a: a.changeable, CHANGED),
    Step(STRICTER, lambda a: a.strategy.dataflow and a.automatic and not a.long, CHANGED),
    Step(INFORMED, lambda a: a.strategy.dataflow and a.automatic and not a.long, CHANGED),
    Step(ASSUMED, lambda a: a.strategy.dataflow and a.automatic and bool(a.case.constrain), CHANGED),
    Step(JIT, lambda a: a.never_run),
    Step(MORE_RUNS, lambda a: a.on_trust, MORE),
    Step(JIT, lambda a: a.undecided and a.too_long_to_run),
    Step(THEOREMS, lambda a: a.may_have_theorems),
    Step(UNROLLED, lambda a: a.strategy.dataflow and a.automatic and not a.long and a.has_loops, CHANGED),
    Step(IDENTITY, lambda a: a.undecided),
    Step(CLOSED_FORM, lambda a: a.undecided and a.strategy.dataflow and a.automatic and not a.long and not a.stuck),
    Step(BOUND, lambda a: a.undecided and a.strategy.dataflow and a.not_a_scop, PARTS),
    Step(
        EXITS_BOUND,
        lambda a: a.undecided and a.strategy.dataflow and a.strict and a.not_a_scop and a.has_loops,
        PARTS,
    ),
    Step(SWEEP, lambda a: a.undecided and not a.long, SWEEPING),
    Step(INPUTS, lambda a: a.undecided and a.automatic and a.has_inputs, RUNS),
)

TEXTS: Final = {step.what.name: step.what.text for step in PORTFOLIO if isinstance(step.what, Prover)}
"""What each prover is, by name."""


def ask(case: Case) -> Asked:
    """What comes of the list, gone through in order."""
    asked = Asked(case)
    for step in PORTFOLIO:
        if step.what.name not in case.task.strategy.without:
            take(asked, step)
    asked.proof = asked.proof or asked.aside
    return asked


def take(asked: Asked, step: Step) -> None:
    """Asks what stands in a step, where it is to be asked now."""
    what, case = step.what, asked.case
    if not _is_due(asked, step):
        return
    case.enter(f"proving by {what.name}" if isinstance(what, Prover) else what.text)
    started = perf_counter()
    match what:
        case Prover(prove=prove):
            answer = prove(case, step.budget)
            asked.seconds[what.name] += perf_counter() - started
            _note(asked, what, answer)
        case Search(run=run):
            asked.difference = run(asked, step.budget)
        case Reading(read=read):
            read(case)
    asked.times[what.name] += 1


def _is_due(asked: Asked, step: Step) -> bool:
    if isinstance(step.what, Search):  # what is proved in one direction needs no search for a difference
        return asked.difference is None and step.when(replace(asked, proof=asked.proof or asked.aside))
    return asked.wanted and step.when(asked)


def _note(asked: Asked, prover: Prover, answer: Answer) -> None:
    """Notes what a prover answered."""
    case = asked.case
    match answer:
        case Shown():
            # A program is itself, whatever is shown of it in one direction.
            alone = None if answer.one_way is None else direct_provers.prove_identity(case, Budget())
            by, shown = (prover, answer) if alone is None else (IDENTITY, alone)
            proof = Proof(by, shown, asked.seconds[prover.name])
            if shown.one_way is not None and prover is SIMULATION:
                asked.aside = asked.aside or proof
            else:
                asked.proof = proof
        case Difference():
            asked.difference = answer
        case Stuck():
            asked.stuck = answer
        case Theorems():
            asked.theorems = answer
        case Open():
            asked.elements = answer
        case None:
            pass
