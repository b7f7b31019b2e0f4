"""The equalities that a term proof derives, step by step, in a congruence closure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hecv.base.term import Term, TermPool
from hecv.base.types import IndexType, IntType
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_format import Fold, Lemma, Step, TermProof, UseLaw, UseLemma
from hecv.kernel.certificate.term_rows import made
from hecv.kernel.terms.congruence_closure import Closure, gives_exact, takes_exact
from hecv.kernel.terms.lemmas import Code, require_typed, shown
from hecv.kernel.terms.solvers import Solver
from hecv.kernel.terms.valid_literals import is_literal
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, without_flags
from hecv.ops.registry import licensed

if TYPE_CHECKING:
    from hecv.kernel.terms.law_instances import Laws
    from hecv.patterns.equations.constant_folding import Folder


class Equalities:
    """What follows from a proof about the `given` terms: `closure` has the equal values, `is_proper` the operators
    whose flags are proved to make no poison."""

    def __init__(
        self, pool: TermPool, given: Sequence[Term], proof: TermProof, solver: Solver, index_width: int
    ) -> None:
        """Raises: Rejected at the first step that fails; Malformed."""
        self.closure: Final = Closure(index_width)
        self._pool: Final = pool
        self._terms: Final = made(pool, proof.terms, given)
        self._rows: Final = proof.terms
        self._typed: set[int] = set(range(len(given)))
        self._given: Final = len(given)
        self._lemmas: Final = proof.lemmas
        self._solver: Final = solver
        self._width: Final = index_width
        self._codes: Final[dict[int, Code]] = {}
        self._laws: Laws | None = None
        self._folder: Folder | None = None
        self._proper: list[tuple[Term, tuple[int, ...]]] = []
        self._known: set[tuple[object, ...]] | None = None
        if len(set(proof.steps)) < len(proof.steps):
            raise Malformed("a step of the proof stands twice")
        for term in given:
            self.closure.value(term)
        for number, step in enumerate(proof.steps):
            self._take(f"step {number}", step)
        unused = next((k for k in range(len(proof.lemmas)) if k not in self._codes), None)
        if unused is not None:
            raise Rejected(f"lemma {unused}", "no step uses it")

    def is_proper(self, term: Term) -> bool:
        """Whether it is proved that the operator at the root, with its flags, makes no poison from its operands."""
        if self._known is None:
            self._known = {self._flagged(t, operands) for t, operands in self._proper}
        return bool(self._known) and self._flagged(term, [self.closure.value(a) for a in term.args]) in self._known

    def _flagged(self, term: Term, operands: Sequence[int]) -> tuple[object, ...]:
        types = tuple([a.type for a in term.args])
        return (term.op, term.attrs, term.type, types, *map(self.closure.find, operands))

    def _take(self, name: str, step: Step) -> None:
        match step:
            case UseLemma(number, terms):
                self._use_lemma(name, number, terms)
            case UseLaw():
                name = f"{name} ('{step.law}')"
                values = {variable: self._term(name, term) for variable, term in step.terms}
                self.closure.union(*self._book().sides(name, step, values))
            case Fold(number):
                self.fold(name, self._term(name, number))

    def _term(self, step: str, number: int) -> Term:
        if not 0 <= number < len(self._terms):
            raise Malformed(f"{step} names a term that there is not")
        self._require_typed(step, number)
        return self._terms[number]

    def _require_typed(self, step: str, number: int) -> None:
        waiting = [number]
        while waiting:
            known = waiting.pop()
            if known not in self._typed:
                self._typed.add(known)
                require_typed(self._terms[known], step, self._width, self.closure.symbols)
                waiting += self._rows[known - self._given][3]

    def _use_lemma(self, name: str, number: int, given: Sequence[int]) -> None:
        terms = [self._term(name, k) for k in given]
        code = self._code(name, number)
        if tuple([t.type for t in terms]) != code.leaves:
            raise Rejected(name, f"its terms are not of the types of lemma {number}")
        roots = code.run(self.closure, [self.closure.value(t) for t in terms])
        if code.flagged is None:
            self.closure.union(roots[0], roots[1])
        else:
            self._proper.append((code.flagged, tuple(roots)))

    def _code(self, name: str, number: int) -> Code:
        found = self._codes.get(number)
        if found is None:
            if not 0 <= number < len(self._lemmas):
                raise Malformed(f"{name} names a lemma that there is not")
            lemma: Lemma = self._lemmas[number]
            found = shown(lemma, f"lemma {number}", self.closure, self._solver, self._width, self.closure.symbols)
            self._codes[number] = found
        return found

    def _book(self) -> Laws:
        """The laws, which take a fifth of a second to load."""
        from hecv.kernel.terms.law_instances import Laws

        self._laws = self._laws or Laws(self.closure, self._width)
        return self._laws

    def fold(self, name: str, term: Term) -> None:
        """Adds the value of an operator on literals.

        Raises: Rejected.
        """
        from hecv.patterns.equations.constant_folding import Folder

        self._folder = self._folder or Folder(self._width)
        literals = [self._literal(a, takes_exact(term)) for a in term.args]
        if any(a is None for a in literals) or not term.args:
            raise Rejected(name, "an operand is not known to be a literal")
        if not folds(term):
            raise Rejected(name, f"{term.op} is not computed from literals")
        values = tuple([_value(a) for a in literals if a is not None])
        attrs = without_flags(term.attrs)
        found = self._folder.fold(term.op, attrs, tuple([a.type for a in term.args]), term.type, values)
        if not isinstance(found, int):
            raise Rejected(name, f"{term.op} has no value on these literals")
        constant = self._pool.make("const", (), term.type, (("value", int(found)),))
        if not is_literal(constant, self._width):
            raise Rejected(name, f"{found} is no value of type {term.type}")
        self.closure.union(self.closure.value(term), self.closure.value(constant))
        if gives_exact(term):
            self.closure.union(self.closure.exact(term), self.closure.exact(constant))

    def _literal(self, term: Term, exact: bool) -> Term | None:
        """The literal that an operand is known to equal; for an operator on `exact` integers, as an exact integer.

        The bits alone do not determine it: those of `4 * 2**62` are the bits of 0.
        """
        closure = self.closure
        found = closure.literal(closure.value(term))
        if found is None or not exact or not isinstance(term.type, IndexType):
            return found
        return found if closure.same(closure.exact(term), closure.exact(found)) else None


def folds(term: Term) -> bool:
    """Whether the root is an integer operator that its operands determine."""
    operator = OPERATORS.get(term.op)
    known = operator is not None and not operator.uninterpreted and term.op not in CHOOSING
    return known and not licensed(term.attrs) and not exposes(term) and isinstance(term.type, IntType | IndexType)


def _value(term: Term) -> int | float:
    value = term.attr("value")
    return float.fromhex(value) if isinstance(value, str) else int(value)  # type: ignore[arg-type]
