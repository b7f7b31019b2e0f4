"""Replays a proof that each result of a function refines that of the other, of functions that only compute integers.

Such functions (`hecv.graph.results`) end, change no memory, and have as their results terms over their arguments. So it
is all there is to say that of each pair of results, one term refines the other (`hecv.replay.refinement`).
"""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import TermPool
from hecv.certificate.errors import Rejected
from hecv.certificate.terms import RefinementProof
from hecv.graph.results import integer_results
from hecv.graph.tree import Function
from hecv.replay.refinement import check_refinement
from hecv.replay.solver import Solver


def replay_results(
    pool: TermPool,
    functions: tuple[Function, Function],
    proofs: Sequence[RefinementProof],
    solver: Solver,
    index_width: int,
) -> bool:
    """Whether the source refines the target, too; that the target refines the source is shown.

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
