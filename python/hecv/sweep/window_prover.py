"""Proofs of windows: values refute, Z3 proves, and the laws prove what Z3 does not answer in time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from hecv.base.term import Term, postorder
from hecv.run.evaluation.exhaustive_evaluation import RULE, equal_everywhere, is_small
from hecv.smt.term_equality import EqualValues
from hecv.sweep.cuts.fingerprints import Fingerprints

if TYPE_CHECKING:
    from hecv.egraph.saturation.term_engine import TermEngine

SAMPLES: Final = 96
EDGES: Final = 64
"""The number of sample assignments on which a window is evaluated before a proof is tried."""

MILLISECONDS: Final = 100
SECONDS: Final = 0.3
MOST_FOR_LAWS: Final = 12
"""Limits on a window: Z3's work, the time of the laws, and the most operators for which these are tried."""

PROPER_MILLISECONDS: Final = 400
"""The time for a question whether a term is poison; there are few."""


class WindowProver:
    """Proves that two small terms without flags are equal for all values of their leaves."""

    def __init__(self, index_width: int = 64) -> None:
        self._index_width: Final = index_width
        self._samples: Final = Fingerprints(index_width, SAMPLES, EDGES)
        self._solver: Final = EqualValues(index_width)
        self._engine: TermEngine | None = None
        self._proper: dict[int, bool] = {}
        self.uses: Counter[str] = Counter()

    def __call__(self, source: Term, target: Term) -> bool:
        """Whether the values are shown equal.

        Requires: no operator makes poison of proper operands or can be undefined.
        """
        order = postorder((source, target))
        for term in order:
            self._samples.of(term)
        if self._samples.of(source) != self._samples.of(target):
            return False
        tried = equal_everywhere(source, target, self._index_width) if is_small(order) else None
        if tried is not None:
            self.uses.update({RULE: 1} if tried else {})
            return tried
        known = self._solver.ask(source, target, MILLISECONDS)
        if known:
            self.uses["smt-window"] += 1
        if known is not None or sum(1 for t in order if t.args) > MOST_FOR_LAWS:
            return bool(known)
        self._engine = self._engine or self._laws()
        answer = self._engine.equal(source, target)
        if answer.proved:
            self.uses.update(answer.rules)
        return answer.proved

    def is_proper(self, term: Term) -> bool:
        """Whether a term over leaves that are not poison is proved not to be poison."""
        known = self._proper.get(term.id)
        if known is None:
            known = self._proper[term.id] = self._solver.is_proper(term, PROPER_MILLISECONDS)
        return known

    def _laws(self) -> TermEngine:
        # The book and the e-graph take a tenth of a second to load, and most sweeps do not get here.
        from hecv.egraph.saturation.runner import Budget
        from hecv.egraph.saturation.term_engine import TermEngine
        from hecv.laws.all_laws import LAWS

        return TermEngine(LAWS, Budget(nodes=2_000, seconds=SECONDS), self._index_width)
