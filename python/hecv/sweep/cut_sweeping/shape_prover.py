"""Proofs of shapes (`hecv.sweep.cuts.leaf_cuts`), each asked once: values refute, normal forms and Z3 prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.value import Scalar
from hecv.egraph.normal_forms.bitvector_forms import NormalForms
from hecv.egraph.normal_forms.integer_identities import Alternatives
from hecv.egraph.normal_forms.operator_chains import NormalNode
from hecv.egraph.session import Contradiction
from hecv.egraph.total_terms import Dag
from hecv.ops import facts_about
from hecv.run.evaluation.exhaustive_evaluation import RULE, equal_everywhere, is_small
from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.smt.term_equality import EqualValues
from hecv.sweep.cut_sweeping.shape_exchange import Line
from hecv.sweep.cut_sweeping.shape_samples import AIMED, STAGES, Literals, Samples
from hecv.sweep.cuts.leaf_cuts import LEAF, LITERAL, Shape, general, terms_of_shape
from hecv.sweep.cuts.operator_kinds import Kinds
from hecv.sweep.window_sweep import signed

WORK: Final = 40
"""Milliseconds of Z3's work on a shape; longer work seldom leads to a proof."""

OPEN: Final = ""
"""Stands for an unknown result. Lookups are few: each hashes a shape anew."""

ROOM: Final = 1000
"""The most nodes of a term, other ways to compute it included, that get a normal form."""


class Answers(Struct, frozen=True):
    """The results for shapes: whether they were proved, and by what."""

    known: dict[Shape, bool]
    uses: Counter[str]


Leaf = tuple[int, int]
"""The number of a leaf and that of its type."""


class Drawn(dict[Leaf, Sequence[Scalar]]):
    """The sample values of leaves at a stage, drawn on demand."""

    def __init__(self, samples: Samples, kinds: Kinds, stage: int) -> None:
        super().__init__()
        self._samples: Final = samples
        self._kinds: Final = kinds
        self._stage: Final = stage

    def __missing__(self, leaf: Leaf) -> Sequence[Scalar]:
        found = self[leaf] = self._samples.drawn(leaf[0], self._kinds.type(leaf[1]), self._stage)
        return found


class Facts:
    """Facts about shapes that do not depend on the programs: the kinds, and which shapes hold or do not.

    A time-out is no fact, so a sweep finds no less after others than alone.
    """

    def __init__(self, index_width: int) -> None:
        self.index_width: Final = index_width
        self.kinds: Final = Kinds(index_width)
        self.pool: Final = TermPool()
        self.alternatives: Final = Alternatives(self.pool)
        self.samples: Final = Samples(index_width)
        self.drawn: Final = [Drawn(self.samples, self.kinds, stage) for stage in range(len(STAGES))]
        self.found: Final[dict[Shape, str | None]] = {}
        """What showed a shape; None for one that values refuted."""
        self.proper: Final[set[int]] = set()
        """Terms of `pool` that are never poison."""


@cache
def known_facts(index_width: int) -> Facts:
    """The facts that the sweeps of this process share."""
    return Facts(index_width)


class ShapeProver:
    """Proves that both terms of a shape have one value for all values of its leaves.

    `may_ask`: there is time for new questions. New results are added to `facts`.
    """

    def __init__(self, facts: Facts, may_ask: Callable[[], bool]) -> None:
        self.kinds: Final = facts.kinds
        self._facts: Final = facts
        self._may_ask: Final = may_ask
        self._solver: Final = EqualValues(facts.index_width)
        self._known: Final[dict[Shape, bool]] = {}
        self._answers: Final[dict[Shape, bool]] = {}
        self.uses: Counter[str] = Counter()
        self.asked = 0
        self.line: Line | None = None
        """To those that sweep other parts of the same pair."""

    def __call__(self, shape: Shape) -> bool:
        """Whether the values are shown equal: for all literals, or for those of the shape."""
        found = self._known.get(shape)
        if found is None:
            by = self._facts.found.get(shape, OPEN)
            if by is None or (by is OPEN and self._is_refuted(shape)):
                return False
            if self.line is not None:
                self._hear(self.line)
            found = self._known[shape] = self._holds_generally(shape) or self._ask(shape)
        return found

    def refutes(self, shape: Shape) -> bool:
        """Whether sample values refute a shape, and so every shape that is more general."""
        by = self._facts.found.get(shape, OPEN)
        return by is None or (by is OPEN and shape not in self._known and self._is_refuted(shape))

    def forget(self) -> None:
        """Marks all results so far as known elsewhere."""
        self._answers.clear()
        self.uses.clear()

    def answers(self) -> Answers:
        """The results since the last `forget`."""
        return Answers(self._answers, self.uses)

    def learn(self, answers: Answers, shown: Iterable[Shape]) -> None:
        """Adds the results of a prover with the same kinds, and what else it has `shown`."""
        for shape, answer in (*answers.known.items(), *[(s, True) for s in shown]):
            self._known.setdefault(shape, answer)
        self.uses += answers.uses
        self.asked += len(answers.known)

    def shown_as(self, shape: Shape) -> Shape:
        """The shape as it was proved: generalised, with leaves for its literals, if that was proved too."""
        wide = general(shape)
        return wide if self._known.get(wide) else shape

    def _hear(self, line: Line) -> None:
        """Takes what others have found."""
        for shape, by in line.heard():
            if by is None:
                self._known.setdefault(shape, False)
            else:
                self._facts.found.setdefault(shape, by)

    def _holds_generally(self, shape: Shape) -> bool:
        wide = general(shape)
        if wide == shape:
            return False
        found = self._known.get(wide)
        if found is None:
            found = self._known[wide] = not self.refutes(wide) and self._ask(wide)
        return found

    def _is_refuted(self, shape: Shape) -> bool:
        """Whether the values differ somewhere, which is then a fact."""
        facts = self._facts
        for leaves, samples in zip(facts.drawn, STAGES, strict=True):
            if self._differs(shape, leaves, samples):
                break
        else:
            if not self._is_refuted_near(shape, 0):
                return False
        facts.found[shape] = None
        return True

    def _is_refuted_near(self, shape: Shape, aim: int) -> bool:
        """Whether the values differ near the literals of the shape."""
        near: dict[int, Literals] = {}
        samples = self._facts.samples
        literals = [row[2] for row in shape[:-1] if row[0] == LITERAL and isinstance(row[2], int)]
        leaves: dict[Leaf, Sequence[Scalar]] = {}
        for number, row in enumerate(shape[:-1]):
            if row[0] == LEAF:
                type_ = self.kinds.type(row[1])
                if row[1] not in near:
                    near[row[1]] = samples.neighbours(literals, type_)
                leaves[number, row[1]] = samples.aimed(number, type_, near[row[1]], aim)
        return self._differs(shape, leaves, AIMED[aim])

    def _differs(self, shape: Shape, leaves: Mapping[Leaf, Sequence[Scalar]], samples: int) -> bool:
        """Whether the values differ for these values of the leaves."""
        known = self.kinds.known
        columns: list[Sequence[Scalar]] = []
        *rows, (first, second) = shape
        try:
            for row in rows:
                head = row[0]
                if head >= 0:
                    column = known[head].column
                    if column is None:
                        return False
                    if len(row) == 3:  # most have two operands
                        columns.append(column(columns[row[1]], columns[row[2]]))
                    else:
                        columns.append(column(*[columns[k] for k in row[1:]]))
                else:
                    columns.append(leaves[len(columns), row[1]] if head == LEAF else [_scalar(row[2])] * samples)
        except LeftOpen:
            return False
        return columns[first] != columns[second]

    def _is_hard(self, shape: Shape) -> bool:
        """Whether a quotient by a leaf has to be understood, for which a solver takes long: that it holds of all
        divisors."""
        known = self.kinds.known
        divided = (row[2] for row in shape[:-1] if row[0] >= 0 and facts_about(known[row[0]].op).division is not None)
        return any(shape[number][0] == LEAF for number in divided)

    def _ask(self, shape: Shape) -> bool:
        by = self._facts.found.get(shape)
        if by is None and not self._may_ask():
            return False
        self.asked += 1
        if by is None:
            by = self._decided(shape)
            # A number that only this process knows may be another kind's elsewhere.
            if self.line is not None and self.kinds.sizes() == self.line.sizes:
                self.line.tell((shape, by))
        if by is not None:
            self._facts.found[shape] = by
            self.uses[by] += 1
        found = self._answers[shape] = by is not None
        return found

    def _decided(self, shape: Shape) -> str | None:
        """What shows a shape; None where nothing does."""
        facts = self._facts
        source, target = terms_of_shape(facts.pool, self.kinds, shape)
        if facts.alternatives.agree(source, target):
            return "sweep-normal-form"
        if SmallForms(facts.alternatives, facts.index_width).same(source, target):
            return "sweep-normal-form"
        if self._is_refuted_near(shape, 1):
            facts.found[shape] = None
            return None
        if self._is_hard(shape):
            return None
        tried = equal_everywhere(source, target, facts.index_width) if is_small(postorder((source, target))) else None
        if tried is not None:
            return RULE if tried else None
        return "smt-window" if self._solver.ask(source, target, WORK) else None


def _scalar(literal: int | str) -> Scalar:
    """The value of a literal as a term has it."""
    return float.fromhex(literal) if isinstance(literal, str) else literal


class SmallForms:
    """Normal forms of a few small terms, entered with other ways to compute them."""

    def __init__(self, alternatives: Alternatives, index_width: int) -> None:
        self._alternatives: Final = alternatives
        self._dag: Final = Dag.empty()
        self._forms: Final = NormalForms(ROOM, index_width)
        self._entered = 0
        self._done: set[int] = set()

    def same(self, source: Term, target: Term) -> bool:
        """Whether two terms have one normal form."""
        try:
            self._enter(source)
            self._enter(target)
        except Contradiction:
            return False
        return self._forms.find(self._dag.enter(source)) == self._forms.find(self._dag.enter(target))

    def _enter(self, term: Term) -> None:
        if term.id in self._done:
            return
        self._done.add(term.id)
        for a in term.args:
            self._enter(a)
        others = self._alternatives.of(term) if self._entered < ROOM // 2 else ()
        if not others:
            self._number(term)
            return
        for other in others:
            self._enter(other)
        # A chain of an extremum is seen by its users, and a sum of masks by none of it.
        first, *rest = sorted((*others, term), key=lambda t: facts_about(t.op).extremum is None)
        number = self._number(first)
        for other in rest:
            self._forms.equate(number, self._number(other))

    def _number(self, term: Term) -> int:
        """The class of a term, whose operands were entered."""
        number, entries = self._dag.enter(term), self._dag.entries
        for k in range(self._entered, len(entries)):
            operands = signed(entries[k].symbol.op, entries[k].args)
            self._forms.enter(k, NormalNode(entries[k].symbol, tuple(operands)))
        self._entered = len(entries)
        return number
