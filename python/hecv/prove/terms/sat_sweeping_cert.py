"""The certificate of a proof statement by statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from hecv.base.term import TermPool
from hecv.kernel.certificate.file_format import Aligned
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from hecv.kernel.certificate.term_format import TermProof
from hecv.kernel.statementwise_check import given_terms, replay_aligned
from hecv.kernel.terms.solvers import Solver
from hecv.normal.integers.idle_operators import comparable
from hecv.program.tree import Function
from hecv.prove.terms.proof_minimization import shortened
from hecv.prove.terms.recorded_lemmas import MILLISECONDS, TermProofs, add_sweep

if TYPE_CHECKING:
    from hecv.prove.terms.sat_sweeping import Tools
    from hecv.sweep.cuts.merge_record import Record

SECONDS: Final = 60.0
"""For a sweep that is recorded."""


def certify(
    pool: TermPool,
    functions: tuple[Function, Function],
    index_width: int,
    recorded: tuple[Record, Tools] | None = None,
) -> tuple[Aligned, bool]:
    """A sweep as a proof, and whether it shows the converse; `recorded` are the steps of one that proved the functions.

    Raises: Uncertified, Rejected, Malformed.
    """
    record, tools = recorded or _swept_again(pool, functions, index_width)
    given = given_terms(pool, functions)
    solver = Solver("z3", index_width, MILLISECONDS)
    proofs = TermProofs("sweep", given, index_width, solver)
    add_sweep(proofs, pool, record, tools)

    def converse(proof: TermProof) -> bool:
        return replay_aligned(pool, functions, proof, solver, index_width)

    whole = proofs.proof()
    wanted = converse(whole)
    return Aligned(shortened(whole, len(given), lambda p: _holds(converse, p, wanted))), wanted


def _swept_again(pool: TermPool, functions: tuple[Function, Function], index_width: int) -> tuple[Record, Tools]:
    """The steps of a sweep over what was proved in another way.

    Raises: Uncertified.
    """
    from hecv.prove.terms.sat_sweeping import quickly
    from hecv.sweep.cuts.merge_record import Record

    record = Record()
    done = quickly(pool, (comparable(pool, functions[0]), comparable(pool, functions[1])), index_width, SECONDS, record)
    if done is None:
        raise Uncertified("sweep", "an op shows which NaN a float is")
    return record, done.tools


def _holds(converse: Callable[[TermProof], bool], proof: TermProof, wanted: bool) -> bool:
    """Whether a proof is accepted, and shows as much as is wanted."""
    try:
        return converse(proof) >= wanted
    except Rejected:
        return False
