"""The certificate of a proof about functions with what their assertions say of values."""

from __future__ import annotations

from hecv.certificate.format import Asserted
from hecv.graph.asserted import informed
from hecv.verdict.case import Case
from hecv.verdict.certify_turns import Anew


def certify(case: Case) -> tuple[Asserted, bool]:
    """The certificate of what `hecv.verdict.informed` proves, with functions that are read anew, and whether the
    converse shows, too.

    Raises: Uncertified where there is none.
    """
    anew = Anew(case)
    source, target = (informed(anew.pool, f) for f in anew.functions)
    proof, shown = anew.proved((source, target))
    return Asserted(proof), shown.converse
