"""The certificate of a proof by induction over the iterations of whiles: each part is proved again, and recorded."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hecv.kernel.certificate.file_format import Dataflow, Turns
from hecv.kernel.dataflow_check import Shown
from hecv.kernel.while_induction_check import replay_turns
from hecv.program.tree import Function
from hecv.prove.dataflow.dataflow_cert import certify_goal
from hecv.prove.pair.prover import Goal


def certify(goal: Goal, found: Turns) -> tuple[Turns, bool]:
    """The certificate of a proof of a goal that is read anew, of which `found` says which states belong together, and
    whether it shows the converse.

    Raises: Uncertified where a part has none; Rejected where the parts are not enough.
    """
    proofs: list[Dataflow] = []

    def check(both: tuple[Function, Function], proof: Dataflow) -> Shown:
        part, shown = certify_goal(replace(goal, functions=both))
        proofs.append(part)
        return shown

    converse = replay_turns(goal.pool, goal.functions, found, goal.switches.index_width, check)
    return _filled(found, iter(proofs)), converse


def _filled(found: Turns, proofs: Iterator[Dataflow]) -> Turns:
    """The proof with those of its parts, which are in order."""
    parts = tuple([_filled(p, proofs) if isinstance(p, Turns) else next(proofs) for p in found.parts])
    return Turns(found.carried, found.left, found.going, parts)
