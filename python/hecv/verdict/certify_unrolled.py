"""The certificate of a proof about functions with short loops copied out."""

from __future__ import annotations

from typing import Final

from hecv.base.term import TermPool
from hecv.certificate.errors import Rejected, Uncertified
from hecv.certificate.format import Results, Unrolled
from hecv.graph.results import integer_results
from hecv.graph.tree import Function
from hecv.graph.unrolled import both_unrolled
from hecv.poly.scalars import Refinement
from hecv.verdict import certify_aligned
from hecv.verdict.case import Case
from hecv.verdict.certify_terms import certify_by_solver
from hecv.verdict.certify_turns import Anew

MILLISECONDS: Final = 10_000
"""So much work of Z3 for one result: it was shown before."""


def certify(case: Case, converse: bool, swept: bool) -> tuple[Unrolled, bool]:
    """The certificate of what `hecv.verdict.unrolling` proves, with functions that are read anew, and whether the
    converse shows, too; `converse` tells whether it was proved, `swept` that it was so without array dataflow.

    Raises: Uncertified or Rejected where there is none.
    """
    anew, width = Anew(case), case.task.switches.index_width
    functions = both_unrolled(anew.pool, anew.functions, width)
    if functions is None:
        raise Rejected("unrolled", "there is no short loop")
    if not swept:
        proof, shown = anew.proved(functions)
        return Unrolled(proof), shown.converse
    results = _results(anew.pool, functions, width, converse)
    if results is not None:
        return Unrolled(results), converse
    aligned, back = certify_aligned.certify(anew.pool, functions, width)
    return Unrolled(aligned), back


def _results(pool: TermPool, functions: tuple[Function, Function], width: int, converse: bool) -> Results | None:
    """What Z3 shows of the results of functions that only compute integers; None of other functions, and where it does
    not show them again."""
    pairs, wanted = integer_results(functions), Refinement(True, True, converse)
    if pairs is None:
        return None
    try:
        return Results(tuple([certify_by_solver(pool, *pair, wanted, width, MILLISECONDS) for pair in pairs]))
    except Uncertified:
        return None
