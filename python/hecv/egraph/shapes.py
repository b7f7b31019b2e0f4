"""Proofs of shapes (`hecv.egraph.cuts`), each asked once: values refute, normal forms and Z3 prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.egraph.cuts import Shape, general, terms_of_shape
from hecv.egraph.fingerprints import Fingerprints
from hecv.egraph.kinds import Kinds
from hecv.egraph.local import EDGES, MILLISECONDS, SAMPLES
from hecv.egraph.normal import NormalForms, NormalNode
from hecv.egraph.session import Contradiction
from hecv.egraph.sweep import signed
from hecv.egraph.terms import Dag
from hecv.smt.equal import EqualValues


class ShapeProver:
    """Shows that both terms of a shape have one value for all values of its leaves; `may_ask` tells whether there is
    time for new questions."""

    def __init__(self, kinds: Kinds, index_width: int, may_ask: Callable[[], bool]) -> None:
        self._kinds: Final = kinds
        self._index_width: Final = index_width
        self._may_ask: Final = may_ask
        self._pool: Final = TermPool()
        self._samples: Final = Fingerprints(index_width, SAMPLES, EDGES)
        self._solver: Final = EqualValues(index_width)
        self._known: Final[dict[Shape, bool]] = {}
        self.uses: Counter[str] = Counter()
        self.asked = 0

    def __call__(self, shape: Shape) -> bool:
        """Whether the values are shown equal: for all literals, or for those of the shape."""
        found = self._known.get(shape)
        if found is None:
            found = self._known[shape] = self._holds_generally(shape) or self._ask(shape)
        return found

    def shown_as(self, shape: Shape) -> Shape:
        """A shape that was shown, with leaves for its literals where that was shown, too."""
        wide = general(shape)
        return wide if self._known.get(wide) else shape

    def _holds_generally(self, shape: Shape) -> bool:
        wide = general(shape)
        if wide == shape:
            return False
        found = self._known.get(wide)
        if found is None:
            found = self._known[wide] = self._ask(wide)
        return found

    def _ask(self, shape: Shape) -> bool:
        if not self._may_ask():
            return False
        self.asked += 1
        source, target = terms_of_shape(self._pool, self._kinds, shape)
        for term in postorder((source, target)):
            self._samples.of(term)
        if self._samples.of(source) != self._samples.of(target):
            return False
        if same_form(source, target, self._index_width):
            self.uses["sweep-normal-form"] += 1
            return True
        known = self._solver.ask(source, target, MILLISECONDS)
        self.uses["smt-window"] += bool(known)
        return bool(known)


def same_form(source: Term, target: Term, index_width: int) -> bool:
    """Whether two small terms have one normal form."""
    dag = Dag.empty()
    ends = dag.enter(source), dag.enter(target)
    forms = NormalForms(len(dag.entries), index_width)
    try:
        for number, entry in enumerate(dag.entries):
            operands = signed(entry.symbol.op, entry.args)
            forms.enter(number, NormalNode(entry.symbol, tuple(operands)))
    except Contradiction:
        return False
    return forms.find(ends[0]) == forms.find(ends[1])
