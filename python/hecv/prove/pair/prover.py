"""What a prover is, what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.claim.result import Assumption, Evidence, RuleUse, Saturation
from hecv.claim.semantic_options import Switches
from hecv.dataflow.dataflow_proof import Proved, Statistics, Stuck, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.elements.element_outcome import Open
from hecv.program.refusal import Refused
from hecv.program.tree import Function
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.terms.scalar_comparison import Comparer
from hecv.refute.differential_runs import Difference

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Inner
    from hecv.kernel.certificate.file_format import Proof as Certificate
    from hecv.prove.pair.pair_context import Case


class Budget(Struct, frozen=True):
    """What one attempt may take: `operations` of isl, for each part where there are several; `seconds`; a `share` of
    the time that is left."""

    operations: int = 0
    seconds: float = 0.0
    share: float = 0.0


class Goal(Struct, frozen=True):
    """The second function refines the first, wherever `constrain` holds; `comparer` compares their terms. Normal forms
    are made `without` these passes."""

    pool: TermPool
    functions: tuple[Function, Function]
    constrain: Sequence[Term]
    switches: Switches
    comparer: Comparer
    without: frozenset[str] = frozenset()

    def pair(self, whiles: bool = False) -> Pair:
        """Both functions as isl sees them; with `whiles`, loops that are not counted are of some number of turns.

        Raises: Refused, NotAffine.
        """
        width, without = self.switches.index_width, self.without
        return Pair(self.pool, *self.functions, self.constrain, width, whiles, without=without)

    def prove(self, operations: int, whiles: bool = False) -> tuple[Pair, Proved] | None:
        """The proof by array dataflow; None where there is none."""
        try:
            pair = self.pair(whiles)
        except (Refused, NotAffine):
            return None
        outcome = prove(pair, operations, self.comparer.scalars)
        return (pair, outcome) if isinstance(outcome, Proved) else None


class Shown(Struct, frozen=True):
    """The target refines the source. `one_way` says why the converse is not shown, None where it is; `engine` is the
    word that reports use. What the certificate is made from is in `found`."""

    engine: str
    rules: tuple[RuleUse, ...]
    one_way: str | None = None
    found: Any = None
    statistics: Statistics | None = None
    assumptions: tuple[Assumption, ...] = ()
    saturation: Saturation | None = None
    passes: tuple[str, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """What a proof rests on is the weakest of what its rules do."""
        known = {rule.evidence for rule in self.rules}
        return "trusted" if "trusted" in known else "tested" if "tested" in known else "proved"

    @property
    def trusted(self) -> tuple[str, ...]:
        """The rules that were used on less than a proof."""
        return tuple([rule.name for rule in self.rules if rule.evidence != "proved"])


Answer = Shown | Difference | Stuck | Theorems | Open | None
"""A proof, a run that refutes the pair, how far the attempt came, or None where the prover does not take the pair."""


class Prover(Struct, frozen=True):
    """`text` says in one line what it is. `certify` gives the certificate of what it showed, and whether that shows the
    converse, too; it raises Uncertified, Rejected or Malformed where there is none."""

    name: str
    text: str
    prove: Callable[[Case, Budget], Answer]
    certify: Callable[[Case, Shown], tuple[Certificate, bool]]


class Method(Struct, frozen=True):
    """A way to prove any goal, so that of a changed pair, too."""

    name: str
    prove: Callable[[Goal, Budget], Shown | None]
    certify: Callable[[Goal, Shown], tuple[Inner, bool]]


class Proof(Struct, frozen=True):
    """What a prover showed, and the seconds that all its attempts took."""

    prover: Prover
    shown: Shown
    seconds: float
