"""The prover by SAT sweeping (`hecv.sweep`): code with the same statements on both sides, term by term.

Where a quick sweep leaves terms over, inputs are aimed at a difference between them before it is tried for longer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Final

from hecv.base.term import Term
from hecv.claim import call_induction
from hecv.claim.assumptions import of_calls
from hecv.claim.semantic_options import unproved
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.tree import Function
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Shown
from hecv.prove.terms.sat_sweeping import Swept, quickly, sweep
from hecv.refute import directed_inputs
from hecv.refute.differential_runs import Difference
from hecv.refute.input_generation import STYLES
from hecv.run.evaluation.exhaustive_evaluation import RULE as ALL_VALUES
from hecv.run.interpreter.outcome_analysis import terms_of

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Aligned
    from hecv.prove.terms.sat_sweeping import Tools
    from hecv.sweep.cuts.merge_record import Record

MAY_BE_UNDEFINED: Final = "the source may be poison or undefined where the target is not"

AIMED: Final = 2
"""So many inputs are made of values that show a difference of two terms."""


def prove_and_aim(case: Case, budget: Budget) -> Shown | Difference | None:
    """The proof, or a difference on an input that was aimed at what the quick sweep left over."""
    aimed: list[Difference] = []

    def refute(functions: tuple[Function, Function], became: Callable[[Term], Term]) -> bool:
        aimed.extend(_aimed(case, functions, became))
        return bool(aimed)

    shown = _swept(case, budget, refute)
    return aimed[0] if aimed and shown is None else shown


def prove_integers(case: Case, budget: Budget) -> Shown | None:
    """The proof, both ways, of functions that compute integers alone, by the quick sweep alone."""
    if not case.may_sweep() or integer_results(case.functions) is None:
        return None
    record, width = _record(case), case.task.switches.index_width
    quick = quickly(case.pool, case.functions, width, budget.seconds, record)
    if quick is None or not quick.swept.equal or not quick.swept.converse:
        return None
    return _shown(case, quick.swept, None if record is None else (record, quick.tools))


def prove_alone(case: Case, budget: Budget) -> Shown | None:
    """The proof of a pair that a run has refuted already."""
    return _swept(case, budget, lambda functions, became: False)


def _swept(
    case: Case, budget: Budget, refute: Callable[[tuple[Function, Function], Callable[[Term], Term]], bool]
) -> Shown | None:
    if not case.may_sweep():
        return None
    record, begun = _record(case), case.begun_sweep()
    width = case.task.switches.index_width
    swept = sweep(case.pool, case.functions, width, budget.seconds, refute, record, begun)
    if swept is None or not swept.equal:
        return None
    return _shown(case, swept, None if record is None or swept.tools is None else (record, swept.tools))


def _shown(case: Case, swept: Swept, steps: tuple[Record, Tools] | None) -> Shown:
    one_way = None if swept.converse else MAY_BE_UNDEFINED
    return Shown("sweep", swept.rules, one_way, steps, assumptions=of_calls(case.functions))


def _record(case: Case) -> Record | None:
    """What takes the steps of a sweep, where proofs are to be written down."""
    if not case.task.recording:
        return None
    # The e-graph takes a tenth of a second to load, and most pairs need none.
    from hecv.sweep.cuts.merge_record import Record

    return Record()


def _aimed(case: Case, functions: tuple[Function, Function], became: Callable[[Term], Term]) -> tuple[Difference, ...]:
    """The difference that an input shows which is aimed at what a sweep left over, if one does."""
    deadline, width = process_time() + directed_inputs.SECONDS, case.task.switches.index_width
    aim = directed_inputs.Aim(functions[0], width)
    orders = terms_of(functions[0]), terms_of(functions[1])
    for model in directed_inputs.inputs(case.pool, functions, orders, became, width, deadline):
        for turn, point in enumerate(islice(case.inputs.points, AIMED if model else 0)):
            arguments = case.inputs.draw.arguments(point, STYLES[turn % len(STYLES)])
            arguments = arguments and aim.arguments(arguments, model)
            if arguments is None or not case.inputs.allowed(arguments):
                continue
            found = case.trials.attempt(arguments)
            if found is not None:
                return (found,)
        if process_time() > deadline:
            break
    return ()


def certify(case: Case, shown: Shown) -> tuple[Aligned, bool]:
    """The certificate of what was swept.

    Raises: Uncertified, Rejected, Malformed.
    """
    return _certified(case, shown.found)


def certify_other(case: Case, shown: Shown | None) -> tuple[Aligned, bool]:
    """The certificate of what another prover has shown, by a sweep that is made now.

    Raises: Uncertified, Rejected, Malformed.
    """
    from hecv.kernel.certificate.rejection import Uncertified

    if shown is not None and shown.engine == "dataflow" and any(rule.name == ALL_VALUES for rule in shown.rules):
        raise Uncertified("sweep", "its windows have more leaves, and these more values, than the whole")
    return _certified(case, None)


def _certified(case: Case, steps: tuple[Record, Tools] | None) -> tuple[Aligned, bool]:
    from hecv.kernel.certificate.rejection import Uncertified

    switches = case.task.switches
    excluded = unproved(case.functions, switches, case.constrain)
    if not case.aligned or switches.floats != "strict" or excluded is not None:
        raise Uncertified("sweep", "the functions do not have the same statements, or a switch excludes them")
    if call_induction.calls(case.functions):
        raise Uncertified("sweep", "calls are not compared statement by statement")
    from hecv.prove.terms import sat_sweeping_cert  # the e-graph and Z3 take a tenth of a second each to load

    return sat_sweeping_cert.certify(case.pool, case.functions, switches.index_width, steps)
