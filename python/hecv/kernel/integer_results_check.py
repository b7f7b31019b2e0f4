"""Replays a refinement proof of functions that only compute integers: each result of the target refines the source's.

Such functions (`hecv.normal.summaries.integer_functions`) terminate, change no memory, and have as results terms over
their arguments. So it suffices that for each pair of results one term refines the other
(`hecv.kernel.terms.refinement_check`).
"""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import TermPool
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.tree import Function


def replay_results(
    pool: TermPool,
    functions: tuple[Function, Function],
    proofs: Sequence[RefinementProof],
    solver: Solver,
    index_width: int,
) -> bool:
    """Checks that the target refines the source; returns whether the source refines the target too.

    Raises: Rejected, Malformed.
    """
    pairs = integer_results(functions)
    if pairs is None:
        raise Rejected("results", "the functions do not compute integers alone")
    if len(pairs) != len(proofs):
        raise Rejected("results", "there is no proof for each")
    converse = True
    for number, ((source, target), proof) in enumerate(zip(pairs, proofs, strict=True)):
        try:
            refines, defined, back = check_refinement(pool, source, target, proof, solver, index_width)
        except Rejected as problem:
            raise Rejected(f"result {number}, {problem.step}", problem.why) from None
        if not (refines and defined):
            raise Rejected(f"result {number}", "it is not shown to be defined where that of the source is")
        converse &= back
    return converse
