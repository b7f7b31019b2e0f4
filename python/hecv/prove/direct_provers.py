"""The provers that need no model of the pair: both are one program, or were run on all inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hecv.claim import call_induction
from hecv.claim.result import RuleUse
from hecv.claim.semantic_options import unproved
from hecv.program.structural_equality import same_program
from hecv.prove.exhaustive_runs import Exhausted, run_all
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Shown
from hecv.prove.sweep_prover import MAY_BE_UNDEFINED
from hecv.refute.differential_runs import Difference

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Identity, Inputs


def prove_identity(case: Case, budget: Budget) -> Shown | None:
    """That the target is the source: equivalent, whatever its ops mean."""
    same = same_program(*case.functions)
    return Shown("identity", (RuleUse("identical-programs", "static", 1, "proved"),)) if same else None


def certify_identity(case: Case, shown: Shown | None) -> tuple[Identity, bool]:
    """The certificate of identity, which has nothing to tell.

    Raises: Uncertified where the functions are not one program.
    """
    from hecv.kernel.certificate.file_format import Identity  # few proofs are written down
    from hecv.kernel.certificate.rejection import Uncertified

    if not same_program(*case.functions):
        raise Uncertified("identity", "the functions are not one program")
    return Identity(), True


def prove_by_inputs(case: Case, budget: Budget) -> Shown | Difference | None:
    """That runs on all inputs agree, or the first that tells the functions apart; None where there are too many inputs,
    or switches let a run say less."""
    switches = case.task.switches
    if switches.floats != "strict" or unproved(case.functions, switches, case.constrain) is not None:
        return None
    found = run_all(case.functions, switches.index_width, budget.seconds)
    if isinstance(found, Exhausted):
        rules = (RuleUse("all-inputs", "static", found.inputs, "proved"),)
        return Shown("inputs", rules, None if found.converse else MAY_BE_UNDEFINED, found.inputs)
    return None if found is None or not case.inputs.allowed(found) else case.trials.attempt(found)


def certify_inputs(case: Case, shown: Shown) -> tuple[Inputs, bool]:
    """The certificate of runs on all inputs: how many there are.

    Raises: Uncertified.
    """
    from hecv.kernel.certificate.file_format import Inputs  # few proofs are by runs
    from hecv.kernel.certificate.rejection import Uncertified

    if call_induction.calls(case.functions):
        raise Uncertified("inputs", "calls are not run for any function")
    return Inputs(shown.found), shown.one_way is None
