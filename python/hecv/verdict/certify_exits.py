"""The certificate of a proof about functions with the ways through their whiles apart."""

from __future__ import annotations

from hecv.certificate.errors import Rejected
from hecv.certificate.format import Bounded, Threaded, Turns
from hecv.graph.exits import both_threaded
from hecv.verdict.case import Case
from hecv.verdict.certify_turns import Anew, certify_parts


def certify(case: Case, found: Turns | None) -> tuple[Threaded, bool]:
    """The certificate of what `hecv.verdict.exits` proves, with functions that are read anew, and whether it shows the
    converse; `found` says which states belong together, None where the proof is by a bound on turns.

    Raises: Uncertified or Rejected where there is none.
    """
    anew, width = Anew(case), case.task.switches.index_width
    functions = both_threaded(anew.pool, anew.functions, width)
    if functions is None:
        raise Rejected("threaded", "there is no while, or there are too many ways through one")
    if found is not None:
        turns, converse = certify_parts(anew, functions, found, width)
        return Threaded(turns), converse
    proof, shown = anew.proved(functions, whiles=True)
    return Threaded(Bounded(proof.data)), shown.converse
