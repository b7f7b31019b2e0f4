"""The certificate of a proof by induction over the turns of whiles, or by a bound on their number.

Both programs are read anew, as for a replay: what terms the search has made must not show in how they are numbered.
Each part, or the whole with loops for whiles, is then proved again, and written down.
"""

from __future__ import annotations

from collections.abc import Iterator

from hecv.base.term import TermPool
from hecv.claim.semantic_options import overlapping
from hecv.claim.strategy import Strategy
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.kernel.certificate.file_format import Bounded, Dataflow, Turns
from hecv.kernel.certificate.rejection import Uncertified
from hecv.kernel.dataflow_check import Shown
from hecv.kernel.while_induction_check import replay_turns
from hecv.mlir.importer import read_pair
from hecv.program.refusal import Refused
from hecv.program.tree import Function
from hecv.prove.dataflow_cert import written
from hecv.prove.pair_context import PART_OPERATIONS, Case
from hecv.prove.terms.scalar_comparison import Comparer


def certify(case: Case, found: Turns) -> tuple[Turns, bool]:
    """The certificate of a proof that says which states belong together, and whether it shows the converse.

    Raises: Uncertified where a part has none; Rejected where the parts are not enough.
    """
    anew = Anew(case)
    return certify_parts(anew, anew.functions, found, case.task.switches.index_width)


def certify_parts(
    anew: Anew, functions: tuple[Function, Function], found: Turns, index_width: int
) -> tuple[Turns, bool]:
    """The certificate of such a proof about functions made of those of a case.

    Raises: Uncertified where a part has none; Rejected where the parts are not enough.
    """
    proofs: list[Dataflow] = []

    def check(both: tuple[Function, Function], proof: Dataflow) -> Shown:
        part, shown = anew.proved(both)
        proofs.append(part)
        return shown

    converse = replay_turns(anew.pool, functions, found, index_width, check)
    return _filled(found, iter(proofs)), converse


def certify_bounded(case: Case) -> tuple[Bounded, bool]:
    """The certificate of a proof with whiles as loops of some number of turns, and whether it shows the converse.

    Raises: Uncertified where it has none.
    """
    anew = Anew(case)
    proof, shown = anew.proved(anew.functions, whiles=True)
    return Bounded(proof.data), shown.converse


class Anew:
    """Both functions of a case, read anew."""

    def __init__(self, case: Case) -> None:
        self._switches = switches = case.task.switches
        self.pool = TermPool()
        read = read_pair(case.task.modules, case.task.names, self.pool, switches.index_width)
        self.functions = overlapping(read, switches)
        # Where a function calls itself, nothing is assumed of its arguments (`Case`).
        given = case.task.constraints if case.constrain else ()
        self._constrain = [c.term(self.pool, self.functions[0]) for c in given]
        self._scalars = Comparer(self.pool, switches.index_width, Strategy(), switches.floats).scalars

    def proved(self, both: tuple[Function, Function], whiles: bool = False) -> tuple[Dataflow, Shown]:
        """The certificate of a proof about two functions or parts of them.

        Raises: Uncertified.
        """
        pair = self.pair(both, whiles)
        outcome = prove(pair, PART_OPERATIONS, self._scalars)
        if not isinstance(outcome, Proved):
            raise Uncertified("dataflow", f"it is not proved again: {outcome.text}")
        proof = written(pair, outcome, self._switches, self._scalars)
        return proof, Shown(outcome.converse, outcome.initialised)

    def pair(self, both: tuple[Function, Function], whiles: bool = False) -> Pair:
        """Two functions as a proof by dataflow has them.

        Raises: Uncertified.
        """
        try:
            return Pair(self.pool, *both, self._constrain, self._switches.index_width, whiles)
        except (Refused, NotAffine) as problem:
            raise Uncertified("dataflow", f"isl does not hold {problem.text}") from None


def _filled(found: Turns, proofs: Iterator[Dataflow]) -> Turns:
    """The proof with those of its parts, which are in order."""
    parts = tuple([_filled(p, proofs) if isinstance(p, Turns) else next(proofs) for p in found.parts])
    return Turns(found.carried, found.left, found.going, parts)
