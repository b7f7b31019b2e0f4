"""The certificate of what Z3 shows of functions that only compute integers."""

from __future__ import annotations

from typing import Final

from hecv.base.term import TermPool
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.file_format import Results
from hecv.kernel.certificate.rejection import Uncertified
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.tree import Function
from hecv.prove.terms.scalar_cert import certify_by_solver

MILLISECONDS: Final = 10_000
"""So much work of Z3 for one result: it was shown before."""


def certify(pool: TermPool, functions: tuple[Function, Function], index_width: int, converse: bool) -> Results | None:
    """A refinement of each result, with the `converse` where that is wanted; None of other functions, and where Z3 does
    not show them again."""
    pairs, wanted = integer_results(functions), Refinement(True, True, converse)
    if pairs is None:
        return None
    try:
        return Results(tuple([certify_by_solver(pool, *pair, wanted, index_width, MILLISECONDS) for pair in pairs]))
    except Uncertified:
        return None
