"""The certificate of a proof that a while computes a formula."""

from __future__ import annotations

from typing import Final

from hecv.base.term import TermPool
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.closed_form_format import Falls, Invariant, Kept
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.closed_form_check import Question, of_end, of_result, read_sides
from hecv.prove.pair.pair_context import Case
from hecv.prove.terms.scalar_cert import certify_by_solver
from hecv.prove.whiles.closed_form import Closed

MILLISECONDS: Final = 10_000
"""So much work of Z3 for one question: it was shown before."""


def certify(case: Case, found: Closed) -> tuple[Invariant, bool]:
    """The certificate of what `hecv.prove.whiles.closed_form` proves, and whether it shows the converse.

    Raises: Uncertified or Rejected where there is none.
    """
    pool, width = case.pool, case.task.switches.index_width
    loop, formulas = read_sides(pool, case.functions, found.side)
    results: list[Kept] = []
    for guess, result, formula in zip(found.guesses, loop.results, formulas, strict=True):
        questions = of_result(pool, loop, result, formula, guess)
        if questions is None:
            raise Rejected("invariant", "it is no term")
        first, turn, last = (_shown(pool, question, width) for question in questions)
        results.append(Kept(guess.now, guess.so_far, first, turn, last))
    return Invariant(found.side, tuple(results), _end(case, found)), found.falls is not None


def _end(case: Case, found: Closed) -> Falls | None:
    """That the loop ends, None where that is not shown."""
    if found.falls is None:
        return None
    loop, _ = read_sides(case.pool, case.functions, found.side)
    question = of_end(case.pool, loop, *found.falls)
    if question is None:
        raise Rejected("end", "there is no such variable")
    return Falls(*found.falls, _shown(case.pool, question, case.task.switches.index_width))


def _shown(pool: TermPool, question: Question, width: int) -> RefinementProof:
    return certify_by_solver(pool, *question, Refinement(True, True, False), width, MILLISECONDS)
