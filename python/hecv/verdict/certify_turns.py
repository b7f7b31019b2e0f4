"""The certificate of a proof by induction over the turns of whiles.

Both programs are read anew, as for a replay: what terms the search has made must not show in how they are numbered.
Each part is then proved again, and written down.
"""

from __future__ import annotations

from collections.abc import Iterator

from hecv.base.term import TermPool
from hecv.certificate.errors import Uncertified
from hecv.certificate.format import Dataflow, Turns
from hecv.frontend.mlir import read_pair
from hecv.graph.tree import Function
from hecv.poly.pair import Pair
from hecv.poly.prove import Proved, prove
from hecv.poly.space import NotAffine
from hecv.poly.statements import Refused
from hecv.replay.dataflow import Shown
from hecv.replay.turns import replay_turns
from hecv.verdict.case import PART_OPERATIONS, Case
from hecv.verdict.certify_dataflow import written
from hecv.verdict.scalars import Comparer
from hecv.verdict.strategy import Strategy


def certify(case: Case, found: Turns) -> tuple[Turns, bool]:
    """The certificate of a proof that says which states belong together, and whether it shows the converse.

    Raises: Uncertified where a part has none; Rejected where the parts are not enough.
    """
    task, pool = case.task, TermPool()
    functions = read_pair(task.modules, task.names, pool, task.switches.index_width)
    constrain = [c.term(pool, functions[0]) for c in task.constraints]
    width = task.switches.index_width
    scalars = Comparer(pool, width, Strategy(), task.switches.floats).scalars
    proofs: list[Dataflow] = []

    def check(both: tuple[Function, Function], proof: Dataflow) -> Shown:
        try:
            pair = Pair(pool, *both, constrain, width)
        except (Refused, NotAffine) as problem:
            raise Uncertified("dataflow", f"isl does not hold {problem.text}") from None
        outcome = prove(pair, PART_OPERATIONS, scalars)
        if not isinstance(outcome, Proved):
            raise Uncertified("dataflow", f"a part of a while is not proved again: {outcome.text}")
        proofs.append(written(pair, outcome, task.switches, scalars))
        return Shown(outcome.converse, outcome.initialised)

    converse = replay_turns(pool, functions, found, width, check)
    return _filled(found, iter(proofs)), converse


def _filled(found: Turns, proofs: Iterator[Dataflow]) -> Turns:
    """The proof with those of its parts, which are in order."""
    parts = tuple([_filled(p, proofs) if isinstance(p, Turns) else next(proofs) for p in found.parts])
    return Turns(found.carried, found.left, found.going, parts)
