"""The verdict on a pair that was proved, from what the prover showed."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hecv.claim.result import FunctionReport
from hecv.claim.result import Proof as Effort
from hecv.dataflow.dataflow_proof import Statistics
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Proof

VACUOUS: Final = "the verdict is vacuous: no input satisfies the assumptions and keeps the source in bounds"


def noted(case: Case, report: FunctionReport) -> FunctionReport:
    """The verdict, with a note where it says nothing of any input. That a program is itself is told as such."""
    proved = report.verdict in ("equivalent", "refines") and report.engine != "identity"
    return replace(report, notes=(*report.notes, VACUOUS)) if proved and case.is_vacuous() else report


def proved(case: Case, proof: Proof) -> FunctionReport:
    """The verdict by a proof."""
    shown = proof.shown
    return FunctionReport(
        case.task.names[0],
        "equivalent" if shown.one_way is None else "refines",
        evidence=shown.evidence,
        engine=shown.engine,
        prover=proof.prover.name,
        passes=shown.passes,
        assumptions=shown.assumptions,
        rules=shown.rules,
        notes=() if shown.one_way is None else (shown.one_way,),
        proof=None if shown.statistics is None else effort(shown.statistics, proof.seconds),
        saturation=shown.saturation,
    )


def effort(counts: Statistics, seconds: float) -> Effort:
    """What a proof took, or an attempt at one."""
    return Effort(counts.visits, counts.widenings, counts.statements, seconds)
