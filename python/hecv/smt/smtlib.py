"""SMT-LIB queries: the texts that a certificate holds and that a checker puts to Z3 again.

The text of a query does not depend on earlier ones: each is made as if it were the first of its encoder.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term
from hecv.smt.term_encoding import Encoder
from hecv.smt.term_refinement import same
from hecv.smt.z3_goals import MEGABYTES, PATIENCE, SEED, WORK
from hecv.smt.z3_theory import Z3, Truth, Unencodable

CHECK: Final = "(check-sat)\n"


class Questions:
    """Makes queries; a statement holds for all values of the leaves exactly if its query has no model."""

    def __init__(self, index_width: int = 64) -> None:
        self._index_width: Final = index_width
        self._encoder = Encoder(index_width)

    def equal(self, left: Term, right: Term) -> str | None:
        """The query whether the total values of two terms differ; None if one has no form in Z3."""
        encoder = self._fresh()
        try:
            one, other = encoder.terms((left, right))
        except Unencodable:
            return None
        return text_of(encoder, same(one, other))

    def proper(self, term: Term) -> str | None:
        """The query whether a term may be poison."""
        encoder = self._fresh()
        try:
            made = encoder.term(term)
        except Unencodable:
            return None
        return text_of(encoder, encoder.not_(made.poison))

    def refined(self, source: Term, target: Term) -> tuple[str, str, str] | None:
        """Three queries, where the source is not undefined: may the target be undefined; may it be poison; may it
        have another value?

        The last two also assume that the source is not poison (`hecv.smt.term_refinement`).
        """
        encoder = self._fresh()
        try:
            src = encoder.term(source)
            tgt = encoder.term(target)  # apart: what an operator leaves open may differ from one side to the other
        except Unencodable:
            return None
        defined = encoder.not_(src.ub)
        proper = encoder.all_of(defined, encoder.not_(src.poison))
        goals = (defined, encoder.not_(tgt.ub)), (proper, encoder.not_(tgt.poison)), (proper, same(src, tgt))
        texts = [text_of(encoder, Z3.Implies(premise, goal)) for premise, goal in goals]
        return texts[0], texts[1], texts[2]

    def _fresh(self) -> Encoder:
        """A new encoder, whose nondeterministic values are numbered from the start."""
        if self._encoder.abstractions:
            self._encoder = Encoder(self._index_width)
        return self._encoder


def text_of(encoder: Encoder, goal: Truth) -> str:
    """The query whether a goal may fail."""
    solver = Z3.Solver(ctx=encoder.context)
    solver.add(Z3.Not(goal))
    return str(solver.sexpr()) + CHECK


class TextSolver:
    """Z3's answers to query texts, in one context."""

    def __init__(self) -> None:
        self._context = Z3.Context()

    def has_no_model(self, text: str, milliseconds: int) -> bool:
        """True if Z3 shows within this much work that the assertions of the text are unsatisfiable."""
        try:
            formulas = Z3.parse_smt2_string(text, ctx=self._context)
            solver = Z3.Solver(ctx=self._context)
            solver.set("timeout", milliseconds * PATIENCE)
            solver.set("rlimit", milliseconds * WORK)
            solver.set("max_memory", MEGABYTES)
            solver.set("random_seed", SEED)
            solver.add(formulas)
            return bool(solver.check() == Z3.unsat)
        except (Z3.Z3Exception, MemoryError):
            return False
