"""Lemmas of a certificate: each is proved once, and then applied to ground terms."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.base.types import IndexType, ScalarType
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_format import Lemma
from hecv.kernel.certificate.term_rows import made
from hecv.kernel.terms.congruence_closure import Closure, Symbol, gives_exact, symbol_of, takes_exact
from hecv.kernel.terms.order_cases import same
from hecv.kernel.terms.solvers import Solver
from hecv.kernel.terms.valid_literals import is_literal
from hecv.ops import OPERATORS, exposes
from hecv.ops.registry import licensed
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere


class Code(Struct, frozen=True):
    """A lemma compiled to instructions over registers: first the leaves, then the literals, then one for each
    instruction.

    `roots` are registers. For a lemma that an operator is `proper` the last instruction is missing: `flagged` is that
    operator, and `roots` are its operands.
    """

    leaves: tuple[ScalarType, ...]
    literals: tuple[Term, ...]
    instructions: tuple[tuple[int, tuple[int, ...]], ...]
    roots: tuple[int, ...]
    flagged: Term | None

    def run(self, closure: Closure, given: Sequence[int]) -> list[int]:
        """The values of the roots, given those of the leaves."""
        registers = [*given, *[closure.value(t) for t in self.literals]]
        for symbol, operands in self.instructions:
            registers.append(closure.apply(symbol, [registers[k] for k in operands]))
        return [registers[k] for k in self.roots]


def shown(
    lemma: Lemma, step: str, closure: Closure, solver: Solver, index_width: int, known: Container[Symbol]
) -> Code:
    """A lemma that is proved, ready to be applied; `known` are the operators at the types that it may use.

    Raises: Rejected if it is not proved; Malformed if it has another form.
    """
    pool = TermPool()
    terms = made(pool, lemma.rows)
    if len(set(terms)) < len(terms):
        raise Malformed(f"{step} has a row twice")
    _require_form(terms, step, index_width, known)
    if any(not 0 <= k < len(terms) for k in lemma.roots) or len(lemma.roots) != (2 if lemma.claim == "equal" else 1):
        raise Malformed(f"{step} has no such roots")
    roots = [terms[k] for k in lemma.roots]
    if lemma.claim == "proper":
        solver.require(step, lemma.text, solver.questions.proper(roots[0]))
    elif roots[0].type != roots[1].type:
        raise Rejected(step, "its sides have different types")
    elif lemma.by in ("tested", "trusted"):
        solver.trust(step, lemma.text, f"{roots[0]} = {roots[1]}", lemma.by)
    elif lemma.by == "smt":
        solver.require(step, lemma.text, solver.questions.equal(roots[0], roots[1]))
    elif lemma.by == "values":
        if not equal_everywhere(roots[0], roots[1], index_width):
            raise Rejected(step, "its sides are not seen to be equal for all values")
    elif not same(roots[0], roots[1], index_width):
        raise Rejected(step, "its sides are different polynomials")
    return _Assembler(closure).code(terms, roots, lemma.claim == "proper")


def _require_form(terms: Sequence[Term], step: str, index_width: int, known: Container[Symbol]) -> None:
    """Leaves are numbered and never poison; all else is literals and operators with one meaning at known types."""
    leaves = 0
    for term in terms:
        if term.op == "leaf":
            if term.args or term.attrs != (("number", leaves), ("proper", True)):
                raise Malformed(f"{step} has a leaf that is not the next one")
            leaves += 1
        elif licensed(term.attrs) or exposes(term) or (term.op != "const" and term.op not in OPERATORS):
            raise Rejected(step, f"{term.op} has no one meaning")
        else:
            require_typed(term, step, index_width, known)


def require_typed(term: Term, step: str, index_width: int, known: Container[Symbol]) -> None:
    """Checks that a literal is of its type, and that an operator occurs at known types: at others it has no meaning.

    Raises: Rejected.
    """
    if term.op == "const":
        if term.args or [name for name, _ in term.attrs] != ["value"] or not is_literal(term, index_width):
            raise Rejected(step, f"no literal of type {term.type}")
    elif symbol_of(term) not in known:
        raise Rejected(step, f"{term.op} is not at types at which the programs or laws have it")


class _Assembler:
    def __init__(self, closure: Closure) -> None:
        self._closure: Final = closure
        self._instructions: list[tuple[int, tuple[int, ...]]] = []
        self._first = 0
        self._cast: dict[tuple[int, bool], int] = {}

    def code(self, terms: Sequence[Term], roots: Sequence[Term], proper: bool) -> Code:
        leaves = [t for t in terms if t.op == "leaf"]
        literals = [t for t in dict.fromkeys(terms) if t.op == "const"]
        registers = {t.id: k for k, t in enumerate((*leaves, *literals))}
        self._first = len(registers)
        for term in terms:
            if term.id in registers or (proper and term is roots[0]):
                continue
            operands = tuple([self._operand(a, registers[a.id], takes_exact(term)) for a in term.args])
            registers[term.id] = self._emit(self._closure.symbol(symbol_of(term)), operands)
        if proper:
            ends = [self._operand(a, registers[a.id], False) for a in roots[0].args]
        else:
            exact = all(map(gives_exact, roots))
            ends = [registers[r.id] if exact else self._operand(r, registers[r.id], False) for r in roots]
        kinds = tuple([t.type for t in leaves])
        return Code(kinds, tuple(literals), tuple(self._instructions), tuple(ends), roots[0] if proper else None)

    def _operand(self, term: Term, register: int, exact: bool) -> int:
        """The register that has a term as an exact integer, or as bits."""
        wanted = exact and isinstance(term.type, IndexType)
        if wanted == gives_exact(term):
            return register
        if (register, wanted) not in self._cast:
            self._cast[register, wanted] = self._emit(self._closure.cast(wanted), (register,))
        return self._cast[register, wanted]

    def _emit(self, symbol: int, operands: tuple[int, ...]) -> int:
        self._instructions.append((symbol, operands))
        return self._first + len(self._instructions) - 1
