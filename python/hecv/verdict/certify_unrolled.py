"""The certificate of a proof about functions with short loops copied out."""

from __future__ import annotations

from hecv.certificate.errors import Rejected
from hecv.certificate.format import Unrolled
from hecv.graph.unrolled import both_unrolled
from hecv.verdict.case import Case
from hecv.verdict.certify_turns import Anew


def certify(case: Case) -> tuple[Unrolled, bool]:
    """The certificate of what `hecv.verdict.unrolling` proves by array dataflow, with functions that are read anew, and
    whether the converse shows, too.

    Raises: Uncertified or Rejected where there is none.
    """
    anew = Anew(case)
    functions = both_unrolled(anew.pool, anew.functions, case.task.switches.index_width)
    if functions is None:
        raise Rejected("unrolled", "there is no short loop")
    proof, shown = anew.proved(functions)
    return Unrolled(proof), shown.converse
