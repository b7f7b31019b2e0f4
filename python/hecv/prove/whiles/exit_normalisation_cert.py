"""The certificate of a proof about functions with the ways through their whiles apart."""

from __future__ import annotations

from hecv.kernel.certificate.file_format import Bounded, Threaded, Turns
from hecv.kernel.certificate.rejection import Rejected
from hecv.normal.whiles.loop_exits import both_threaded
from hecv.prove.pair_context import Case
from hecv.prove.whiles.while_induction_cert import Anew, certify_parts


def certify(case: Case, found: Turns | None) -> tuple[Threaded, bool]:
    """The certificate of what `hecv.prove.whiles.exit_normalisation` proves, with functions that are read anew, and
    whether it shows the converse; `found` says which states belong together, None where the proof is by a bound on
    turns.

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
