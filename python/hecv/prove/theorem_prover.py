"""The prover by loop theorems (`hecv.theorems`), applied by an e-graph over statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hecv.claim import call_induction
from hecv.claim.assumptions import of_calls
from hecv.claim.semantic_options import unproved
from hecv.ops import exposes
from hecv.program.structural_equality import same_program
from hecv.prove.loops import loop_theorems
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Shown
from hecv.run.interpreter.outcome_analysis import terms_of

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Proof as Certificate


def prove(case: Case, budget: Budget) -> Shown | Theorems | None:
    """The proof, or how far the theorems came, which take `index` to have 64 bits. None where a switch excludes the
    pair, where an op has no semantics, and where one shows which NaN a float is: float laws hold up to that."""
    task = case.task
    if task.switches.index_width != 64 or (case.refusal is not None and case.refusal.statement is None):
        return None
    if same_program(*case.functions) or unproved(case.functions, task.switches, case.constrain) is not None:
        return None
    if any(exposes(t) for f in case.functions for t in terms_of(f)) or not case.trials.runnable:
        return None
    rules = case.comparer.proved_laws(), case.loop_rules.usable
    found = loop_theorems.prove(case.pool, case.functions, case.constrain, task.strategy, *rules)
    if found is None or not found.equal:
        return found
    assumptions = of_calls(case.functions)
    return Shown("theorems", found.rules, assumptions=assumptions, saturation=found.saturation)


def certify(case: Case, shown: Shown) -> tuple[Certificate, bool]:
    """The certificate: by array dataflow, which is simpler, where that was not asked for a proof.

    Raises: Uncertified, Rejected, Malformed.
    """
    from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
    from hecv.prove import loop_theorems_cert  # few proofs are by theorems
    from hecv.prove.dataflow import dataflow_cert

    if not case.task.strategy.dataflow:
        try:
            return dataflow_cert.certify(case, None)
        except (Uncertified, Rejected, Malformed):
            pass
    if call_induction.calls(case.functions):
        raise Uncertified("theorems", "calls are not compared by theorems")
    return loop_theorems_cert.certify(case), True
