"""Proofs about terms from what a search recorded: lemmas are shown again, each by the cheapest means that the replayer
has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.base.term import Attributes, Term, TermPool
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from hecv.kernel.certificate.term_format import By, Claim, Fold, Lemma, Step, TermProof, UseLaw, UseLemma
from hecv.kernel.certificate.term_rows import Row, rows_of, type_text
from hecv.kernel.terms.order_cases import same
from hecv.kernel.terms.solvers import Solver
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere, is_small

if TYPE_CHECKING:
    from hecv.egraph.saturation.rule_evidence import Evidence
    from hecv.prove.terms.sat_sweeping import Tools
    from hecv.sweep.cuts.leaf_cuts import Shape
    from hecv.sweep.cuts.merge_record import Record
    from hecv.sweep.cuts.operator_kinds import Kinds


MILLISECONDS: Final = 2_000
"""So much work for one lemma: it was shown before."""


class TermProofs:
    """Collects a proof about `given` terms; `engine` is whose search it tells of."""

    def __init__(self, engine: str, given: Sequence[Term], index_width: int, solver: Solver | None = None) -> None:
        """`solver` is asked about lemmas, and knows them afterwards."""
        self._engine: Final = engine
        self._numbers: Final[dict[int, int]] = {}
        for number, term in enumerate(given):
            self._numbers.setdefault(term.id, number)
        self._given: Final = len(given)
        self._rows: list[Row] = []
        self._alive: list[Term] = list(given)
        self._lemmas: Final[dict[object, tuple[int, tuple[int, ...]]]] = {}
        self._made: list[Lemma] = []
        self._steps: dict[Step, None] = {}
        self._width: Final = index_width
        self._solver: Final = solver or Solver("z3", index_width, MILLISECONDS)

    def proof(self) -> TermProof:
        """What was collected."""
        return TermProof(tuple(self._rows), tuple(self._made), tuple(self._steps))

    def number(self, term: Term) -> int:
        """The number by which steps name a term; what was not given is added."""
        found = self._numbers.get(term.id)
        if found is None:
            args = tuple([self.number(a) for a in term.args])
            found = self._numbers[term.id] = self._given + len(self._rows)
            self._rows.append((term.op, type_text(term.type), term.attrs, args))
            self._alive.append(term)
        return found

    def fold(self, term: Term) -> None:
        """The value of an operator on literals."""
        self._steps[Fold(self.number(term))] = None

    def law(self, name: str, types: tuple[str, ...], terms: Mapping[str, Term]) -> None:
        """A law of the book for these terms."""
        self._steps[UseLaw(name, types, tuple((v, self.number(terms[v])) for v in sorted(terms)))] = None

    def equal(self, left: Term, right: Term, leaves: Mapping[int, Term]) -> None:
        """Two terms over `leaf` terms, with what stands for each of these by its number.

        Raises: Uncertified where the replayer would not be convinced.
        """
        if left is not right:
            self._use((left, right), "equal", leaves)

    def trusted(self, left: Term, right: Term, leaves: Mapping[int, Term], rule: str, known: Evidence) -> None:
        """Two such terms, which nothing but a rule of a user says are equal."""
        assert known != "proved"
        self._use((left, right), "equal", leaves, (known, rule))

    def proper(self, term: Term, leaves: Mapping[int, Term]) -> None:
        """The operator at the root makes no poison.

        Raises: Uncertified where the replayer would not be convinced.
        """
        self._use((term,), "proper", leaves)

    def _use(
        self, roots: tuple[Term, ...], claim: Claim, leaves: Mapping[int, Term], trusted: tuple[By, str] | None = None
    ) -> None:
        key = (claim, *[r.id for r in roots])
        if key not in self._lemmas:
            self._alive += roots
            self._lemmas[key] = self._lemma(roots, claim, trusted)
        number, order = self._lemmas[key]
        self._steps[UseLemma(number, tuple([self.number(leaves[k]) for k in order]))] = None

    def _lemma(
        self, roots: tuple[Term, ...], claim: Claim, trusted: tuple[By, str] | None
    ) -> tuple[int, tuple[int, ...]]:
        """The number of a new lemma, and the leaves that it has, in their order."""
        rows, numbers = rows_of(roots)
        order: list[int] = []
        named: list[Row] = []
        for op, text, attrs, args in rows:
            if op == "leaf":
                order.append(int(dict(attrs)["number"]))  # type: ignore[arg-type]
                attrs = _nth(len(order) - 1)
            named.append((op, text, attrs, args))
        ends = tuple([numbers[r.id] for r in roots])
        lemma = Lemma(tuple(named), ends, claim, "ring")
        self._made.append(self._shown(lemma) if trusted is None else replace(lemma, by=trusted[0], text=trusted[1]))
        return len(self._made) - 1, tuple(order)

    def _shown(self, lemma: Lemma) -> Lemma:
        """The lemma with how it is shown."""
        from hecv.kernel.certificate.term_rows import made

        terms = made(TermPool(), lemma.rows)
        roots = [terms[k] for k in lemma.roots]
        if lemma.claim == "equal" and same(roots[0], roots[1], self._width):
            return lemma
        if lemma.claim == "equal" and is_small(terms) and equal_everywhere(roots[0], roots[1], self._width):
            return replace(lemma, by="values")
        ask = self._solver.questions
        text = ask.proper(roots[0]) if lemma.claim == "proper" else ask.equal(roots[0], roots[1])
        try:
            self._solver.require("lemma", text or "", text)
        except Rejected as problem:
            raise Uncertified(self._engine, f"of {roots[0]} and {roots[-1]}: {problem.why}") from None
        return Lemma(lemma.rows, lemma.roots, lemma.claim, "smt", text or "")


def _nth(number: int) -> Attributes:
    return (("number", number), ("proper", True))


def add_sweep(proofs: TermProofs, pool: TermPool, record: Record, tools: Tools) -> None:
    """Adds all steps of a quick sweep.

    Raises: Uncertified.
    """
    from hecv.sweep.cuts.merge_record import Merge
    from hecv.sweep.window_sweep import closed

    scratch = TermPool()
    known: dict[Shape, tuple[Term, Term]] = {}
    for step in record.steps:
        if not isinstance(step, Merge):
            proofs.fold(step)
            continue
        shape = tools.prover.shown_as(step.shape)
        if shape not in known:
            known[shape] = _terms(scratch, tools.kinds, shape)
        proofs.equal(*known[shape], _leaves(pool, tools.kinds, step.shape, step.leaves))
    for term, depth in record.flagged:
        named: dict[int, Term] = {}
        proofs.proper(closed(pool, term, tools.taints.is_opaque, depth, named), named)


def _terms(pool: TermPool, kinds: Kinds, shape: Shape) -> tuple[Term, Term]:
    from hecv.sweep.cuts.leaf_cuts import terms_of_shape

    return terms_of_shape(pool, kinds, shape)


def _leaves(pool: TermPool, kinds: Kinds, shape: Shape, leaves: Mapping[int, Term]) -> dict[int, Term]:
    """What stands for the rows that are leaves, or may be."""
    from hecv.sweep.cuts.leaf_cuts import LEAF, LITERAL

    found: dict[int, Term] = {}
    for number, row in enumerate(shape[:-1]):
        if row[0] == LITERAL:
            found[number] = pool.make("const", (), kinds.type(row[1]), (("value", row[2]),))
        elif row[0] == LEAF:
            found[number] = leaves[number]
    return found
