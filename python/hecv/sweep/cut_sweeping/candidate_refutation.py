"""Refutation of all candidates of a term at once, in one wide window.

The leaves of smaller windows are built from those of a wide one, so values that tell two terms apart in the wide window
mostly do so in each smaller one: one question settles most of the terms that only seem equal.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.candidate_cuts import Questions
from hecv.sweep.cut_sweeping.shape_prover import ShapeProver
from hecv.sweep.cuts.leaf_cuts import Cut


class Apart:
    """Whether values tell a term from a candidate in a wide window.

    Always False with `deep`: then all windows are tried, since what both have in common may be wider than this one.
    """

    def __init__(self, term: Term, questions: Questions, proves: ShapeProver, deep: bool) -> None:
        self._term: Final = term
        self._questions: Final = questions
        self._proves: Final = proves
        self._deep: Final = deep
        self._cut: Cut | None = None

    def __call__(self, candidate: Term) -> bool:
        if self._deep or not candidate.args:
            return False
        cut = self._cut = self._cut or self._questions.wide(self._term)
        return self._proves.refutes(cut.shape(candidate))
