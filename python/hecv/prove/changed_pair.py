"""Provers that change both functions of a pair first (`hecv.kernel.program_changes`), and then prove what was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, postorder
from hecv.claim.assumptions import of_calls
from hecv.claim.result import RuleUse
from hecv.claim.semantic_options import unproved, unproved_by_dataflow
from hecv.kernel.program_changes import (
    ASSERTED_VALUES,
    ASSUMED_ARGUMENTS,
    CARRIED_RANGES,
    EXIT_NORMALISATION,
    FULL_UNROLLING,
    IDLE_ACCESSES,
    IDLE_BRANCHES,
    LOOK_UPS,
    MODULAR_CONDITIONS,
    ORDERED_CALLS,
    POSITIVE_DIVISORS,
    SYMBOLIC_STEPS,
    Both,
    Change,
    changed,
)
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.structural_equality import same_shape
from hecv.program.tree import Assert, Load, Loop, Store, While, walk
from hecv.prove.dataflow import array_dataflow, normal_form_prover
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Goal, Method, Prover, Shown
from hecv.prove.sweep_prover import MAY_BE_UNDEFINED
from hecv.prove.terms.sat_sweeping import sweep
from hecv.prove.terms.scalar_comparison import SOLVED
from hecv.prove.whiles.while_methods import BY_BOUND, BY_INDUCTION

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Aligned, Results
    from hecv.kernel.certificate.file_format import Via as Certificate

DIVISOR: Final = "positive-divisor"
ROW: Final = "place-in-row"
IDLE: Final = "idle-branch"
ORDERED: Final = "loop-calls-ordered"

MOST_SOLVED: Final = 600
"""Terms of more operators are not given to Z3."""
MILLISECONDS: Final = 3000


class Via(Struct, frozen=True):
    """How a changed pair was shown."""

    change: Change
    method: Method
    shown: Shown


Rules = Callable[[Both, Both], tuple[str, ...]]
"""The rules that a change rests on, by what was before and after it."""


def via(change: Change, text: str, rules: Rules, *methods: Method) -> Prover:
    """The prover that makes a change, and asks the methods in turn about what was made."""

    def prove(case: Case, budget: Budget) -> Shown | None:
        if unproved_by_dataflow(case.functions, case.task.switches, case.constrain) is not None:
            return None
        made = change.make(case.pool, case.functions, case.constrain, case.task.switches.index_width)
        if made is None:
            return None
        goal = replace(case.goal(), functions=made)
        for method in methods:
            shown = None if method.name in case.task.strategy.without else method.prove(goal, budget)
            if shown is not None:
                used = rules(case.functions, made)
                return replace(
                    shown,
                    rules=(*[RuleUse(name, "dynamic", 1, "proved") for name in used], *shown.rules),
                    one_way=shown.one_way if change.converse else _stricter(used),
                    found=Via(change, method, shown),
                )
        return None

    return Prover(change.name, text, prove, certify)


def certify(case: Case, shown: Shown) -> tuple[Certificate, bool]:
    """The name of the change, and the certificate of the proof about both functions, read and changed anew."""
    from hecv.kernel.certificate.file_format import Via as Certificate  # few proofs are written down

    found: Via = shown.found
    anew = case.anew()
    made = changed(found.change, anew.pool, anew.functions, anew.constrain, anew.switches.index_width)
    inner, converse = found.method.certify(replace(anew, functions=made), found.shown)
    return Certificate(found.change.name, inner), converse and found.change.converse


# Rules


def _divisors_and_rows(before: Both, after: Both) -> tuple[str, ...]:
    old = frozenset(walk(before[1].body))
    new = [s for s in walk(after[1].body) if s not in old]
    kinds = any(isinstance(s, Assert) for s in new), any(isinstance(s, Load | Store) for s in new)
    return tuple(name for name, used in zip((DIVISOR, ROW), kinds, strict=True) if used)


def _stricter(rules: tuple[str, ...]) -> str | None:
    if IDLE in rules:
        return array_dataflow.one_way("a place that the target does not access may be out of bounds there")
    if ORDERED in rules:
        return array_dataflow.one_way("the calls in a parallel loop of the source may be made in another order")
    if DIVISOR in rules:
        return array_dataflow.one_way("a divisor may be negative where the target divides")
    return array_dataflow.one_way("a place may be beyond its row there")


def _one(rule: str) -> Rules:
    return lambda before, after: (rule,)


# What is shown of functions without loops


def _solve(goal: Goal, budget: Budget) -> Shown | None:
    """By Z3, of functions that do nothing but compute integers."""
    pairs = integer_results(goal.functions)
    if pairs is None or len(postorder(tuple([t for pair in pairs for t in pair]))) > MOST_SOLVED:
        return None
    width = goal.switches.index_width
    if not all(_refines(source, target, width) for source, target in pairs):
        return None
    converse = all(_refines(target, source, width) for source, target in pairs)
    return _swept(goal, (RuleUse(SOLVED, "static", len(pairs), "proved"),), converse)


def _refines(source: Term, target: Term, index_width: int) -> bool:
    """Whether Z3 shows that one value refines the other: it is defined, no poison and equal where that is."""
    from hecv.smt.term_refinement import refine  # it takes a tenth of a second to load, and few functions need it

    found = refine(source, target, value=True, index_width=index_width, milliseconds=MILLISECONDS)
    return found.value is not None and found.holds


def _sweep(goal: Goal, budget: Budget) -> Shown | None:
    """By sweeping, of functions that have no loops left."""
    functions, switches = goal.functions, goal.switches
    if any(isinstance(s, Loop | While) for f in functions for s in walk(f.body)) or not same_shape(*functions):
        return None
    if switches.floats != "strict" or not all(f.known for f in functions):
        return None
    if unproved(functions, switches, goal.constrain) is not None:
        return None
    found = sweep(goal.pool, functions, switches.index_width, budget.seconds)
    return _swept(goal, found.rules, found.converse) if found is not None and found.equal else None


def _swept(goal: Goal, rules: tuple[RuleUse, ...], converse: bool) -> Shown:
    one_way = None if converse else MAY_BE_UNDEFINED
    return Shown("sweep", rules, one_way, assumptions=of_calls(goal.functions))


def _certify_results(goal: Goal, shown: Shown) -> tuple[Results | Aligned, bool]:
    from hecv.prove.terms import integer_results_cert  # few proofs are written down

    made = integer_results_cert.certify(goal.pool, goal.functions, goal.switches.index_width, shown.one_way is None)
    return _certify_sweep(goal, shown) if made is None else (made, shown.one_way is None)


def _certify_sweep(goal: Goal, shown: Shown) -> tuple[Aligned, bool]:
    from hecv.prove.terms import sat_sweeping_cert  # few proofs are written down

    return sat_sweeping_cert.certify(goal.pool, goal.functions, goal.switches.index_width)


RESULTS: Final = Method("integer-results", _solve, _certify_results)
SWEEP: Final = Method("sat-sweeping", _sweep, _certify_sweep)

# The provers

STRICTER: Final = via(
    POSITIVE_DIVISORS,
    "a target that asserts what the source divides by to be positive, and places to lie in their rows",
    _divisors_and_rows,
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
INFORMED: Final = via(
    ASSERTED_VALUES,
    "array dataflow of functions with the conditions of assertions in the values that are stored after them",
    _one("asserted-condition"),
    array_dataflow.METHOD,
)
ASSUMED: Final = via(
    ASSUMED_ARGUMENTS,
    "scalar arguments with what is assumed of them in each use, then Z3, array dataflow or SAT sweeping",
    _one("assumed-argument"),
    RESULTS,
    array_dataflow.METHOD,
    SWEEP,
)
WRAPPED: Final = via(
    MODULAR_CONDITIONS,
    "conditions on indices as what they are where index arithmetic in them overflows, then array dataflow",
    _one("index-modulo"),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
STRIDED: Final = via(
    SYMBOLIC_STEPS,
    "loops with a step that is not known as loops over all indices with a branch, then array dataflow",
    _one("loop-step-guarded"),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
ORDERED_SOURCE: Final = via(
    ORDERED_CALLS,
    "a source whose parallel loops make their calls in order, which they may, then array dataflow",
    _one(ORDERED),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
UNROLLED: Final = via(
    FULL_UNROLLING,
    "short loops with literal bounds unrolled whole, then Z3, array dataflow or SAT sweeping",
    _one("loop-unrolled-whole"),
    RESULTS,
    array_dataflow.METHOD,
    SWEEP,
)
IDLE_BRANCH: Final = via(
    IDLE_BRANCHES,
    "functions without stores of what is there, nor branches that avoid nothing else, then array dataflow",
    _one(IDLE),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
IDLE_ACCESS: Final = via(
    IDLE_ACCESSES,
    "a target that accesses what a branch avoids where it would store what is there, then array dataflow",
    _one(IDLE),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
)
LOOKED_UP: Final = via(
    LOOK_UPS,
    "look-ups in tables as the function that fills them, then Z3, array dataflow or SAT sweeping",
    _one("table-look-up"),
    normal_form_prover.METHOD,
    RESULTS,
    array_dataflow.METHOD,
    SWEEP,
)
RANGED: Final = via(
    CARRIED_RANGES,
    "values that loops carry with their ranges, and look-ups as functions, then array dataflow or induction",
    _one("carried-range"),
    normal_form_prover.METHOD,
    array_dataflow.METHOD,
    BY_INDUCTION,
)
_EXITS: Final = (
    EXIT_NORMALISATION,
    "loop exit normalisation, then induction over loop iterations or a bound on them",
    _one("while-ways-apart"),
)
EXITS_INDUCTION: Final = via(*_EXITS, BY_INDUCTION)
EXITS_BOUND: Final = via(*_EXITS, BY_BOUND)
