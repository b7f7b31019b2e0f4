"""The methods for whiles that are not counted: a simulation between loop headers, induction over iterations, or a bound
on these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.claim.assumptions import of_calls
from hecv.claim.result import RuleUse
from hecv.claim.semantic_options import unproved, unproved_by_dataflow
from hecv.dataflow.dataflow_proof import Proved, Statistics
from hecv.program.tree import Function, While, walk
from hecv.prove.dataflow.array_dataflow import dataflow_rules, one_way
from hecv.prove.pair.prover import Budget, Goal, Method, Shown

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Bounded, Simulation, Turns

INDUCTION: Final = "while-induction"
BOUNDED: Final = "while-bounded"
SIMULATION: Final = "loop-simulation"
MAY_BE_UNDEFINED: Final = "the target is not shown to be undefined wherever the source is"


def whiles_of(functions: tuple[Function, Function]) -> tuple[int, int]:
    """How many whiles both functions have."""
    first, second = (sum(isinstance(s, While) for s in walk(f.body)) for f in functions)
    return first, second


def prove_by_simulation(goal: Goal, budget: Budget) -> Shown | None:
    """By a simulation between loop headers; None where there is none, where neither has a while, or where a switch
    excludes the pair."""
    if goal.switches.floats != "strict" or not any(whiles_of(goal.functions)):
        return None
    if unproved(goal.functions, goal.switches, goal.constrain) is not None:
        return None
    # Z3 is loaded with it, and few functions have such loops.
    from hecv.prove.whiles.simulation import simulate

    found = simulate(goal.pool, goal.functions, goal.switches.index_width, budget.seconds)
    if found is None:
        return None
    rules = (RuleUse(SIMULATION, "dynamic", len(found.proof.relations), "proved"),)
    return Shown("simulation", rules, None if found.converse else MAY_BE_UNDEFINED, found.proof)


def prove_by_induction(goal: Goal, budget: Budget) -> Shown | None:
    """By induction over the iterations of whiles, each part by array dataflow; None where that is not shown, where one
    has no while, or where a switch excludes the pair."""
    if goal.switches.floats != "strict" or not all(whiles_of(goal.functions)):
        return None
    if unproved(goal.functions, goal.switches, goal.constrain) is not None:
        return None
    # How proofs are written down is loaded with it, and few functions have such loops.
    from hecv.prove.whiles.while_induction import prove_by_turns

    def prove(functions: tuple[Function, Function]) -> Proved | None:
        found = replace(goal, functions=functions).prove(budget.operations)
        return None if found is None else found[1]

    found = prove_by_turns(goal.pool, goal.functions, goal.switches.index_width, prove, budget.seconds)
    if found is None:
        return None
    return _shown(
        goal, RuleUse(INDUCTION, "dynamic", found.loops, "proved"), found.statistics, found.one_way, found.proof
    )


def prove_by_bound(goal: Goal, budget: Budget) -> Shown | None:
    """With whiles as loops of some number of iterations; None where that is not shown, where one has no while, or where
    a switch excludes the pair."""
    count = min(whiles_of(goal.functions))
    if not count or unproved_by_dataflow(goal.functions, goal.switches, goal.constrain) is not None:
        return None
    found = goal.prove(budget.operations, whiles=True)
    if found is None:
        return None
    pair, proved = found
    shown = _shown(goal, RuleUse(BOUNDED, "dynamic", count, "proved"), proved.statistics, proved.one_way, None)
    return replace(shown, passes=pair.passes)


def _shown(goal: Goal, rule: RuleUse, counts: Statistics, why: str | None, proof: object) -> Shown:
    rules = (rule, *dataflow_rules(counts), *goal.comparer.rules())
    assumptions, saturation = of_calls(goal.functions), goal.comparer.saturation()
    return Shown("dataflow", rules, one_way(why), proof, counts, assumptions, saturation)


def _certify_simulation(goal: Goal, shown: Shown) -> tuple[Simulation, bool]:
    from hecv.kernel.simulation_check import replay_simulation  # few functions have such loops
    from hecv.kernel.terms.solvers import Solver

    width = goal.switches.index_width
    return shown.found, replay_simulation(goal.pool, goal.functions, shown.found, Solver("z3", width), width)


def _certify_induction(goal: Goal, shown: Shown) -> tuple[Turns | Bounded, bool]:
    from hecv.kernel.certificate.file_format import Turns  # few functions have such loops
    from hecv.prove.whiles import while_induction_cert

    if not isinstance(shown.found, Turns):  # all whiles turned out to be counted
        return _certify_bound(goal, shown)
    return while_induction_cert.certify(goal, shown.found)


def _certify_bound(goal: Goal, shown: Shown) -> tuple[Bounded, bool]:
    from hecv.kernel.certificate.file_format import Bounded  # few functions have such loops
    from hecv.prove.dataflow.dataflow_cert import certify_goal

    made, part = certify_goal(goal, whiles=True)
    return Bounded(made.data), part.converse


BY_SIMULATION: Final = Method("loop-simulation", prove_by_simulation, _certify_simulation)
BY_INDUCTION: Final = Method("while-induction", prove_by_induction, _certify_induction)
BY_BOUND: Final = Method("bounded-while", prove_by_bound, _certify_bound)
