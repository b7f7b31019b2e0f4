"""The certificate of a proof about functions with short loops copied out."""

from __future__ import annotations

from typing import Final

from hecv.base.term import TermPool
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.file_format import Results, Unrolled
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from hecv.normal.summaries.full_unrolling import both_unrolled
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.tree import Function
from hecv.prove.pair_context import Case
from hecv.prove.terms import sat_sweeping_cert
from hecv.prove.terms.scalar_cert import certify_by_solver
from hecv.prove.whiles.while_induction_cert import Anew

MILLISECONDS: Final = 10_000
"""So much work of Z3 for one result: it was shown before."""


def certify(case: Case, converse: bool, swept: bool) -> tuple[Unrolled, bool]:
    """The certificate of what `hecv.prove.transforms.loop_unrolling` proves, with functions that are read anew, and
    whether the converse shows, too; `converse` tells whether it was proved, `swept` that it was so without array
    dataflow.

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
    aligned, back = sat_sweeping_cert.certify(anew.pool, functions, width)
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
