"""Lemmas and laws of a certificate: each is shown or looked up once, and then used for ground terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from hecv.base.term import Attributes, Term, TermPool, literal
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.certificate.errors import Malformed, Rejected
from hecv.certificate.rows import made, type_of
from hecv.certificate.terms import Lemma, UseLaw
from hecv.dialects import OPERATORS, exposes
from hecv.dialects.conditions import without_flags
from hecv.dialects.registry import licensed
from hecv.replay.closure import Closure, symbol_of, takes_exact
from hecv.replay.rings import Polynomials
from hecv.replay.solver import Solver
from hecv.rules.fold import Folder
from hecv.rules.language import (
    Equation,
    Number,
    Operation,
    Pattern,
    Variable,
    at_literals,
    kind_of,
    replaced,
    variables,
)
from hecv.rules.law import Law
from hecv.rules.laws import BOOK


@dataclass(frozen=True, slots=True)
class Code:
    """A lemma as instructions over registers: first the leaves, then the literals, then one more for each instruction.

    `roots` are registers. Of a lemma that an operator is `proper` the last instruction is missing: `flagged` is that
    operator, and `roots` are its operands.
    """

    leaves: tuple[ScalarType, ...]
    literals: tuple[Term, ...]
    instructions: tuple[tuple[int, tuple[int, ...]], ...]
    roots: tuple[int, ...]
    flagged: Term | None

    def run(self, closure: Closure, given: Sequence[int]) -> list[int]:
        """The values of the roots, for those of the leaves."""
        registers = [*given, *[closure.value(t) for t in self.literals]]
        for symbol, operands in self.instructions:
            registers.append(closure.apply(symbol, [registers[k] for k in operands]))
        return [registers[k] for k in self.roots]


def shown(lemma: Lemma, step: str, closure: Closure, solver: Solver, index_width: int) -> Code:
    """A lemma that holds, ready to be used.

    Raises: Rejected where it is not shown; Malformed where it says nothing.
    """
    pool = TermPool()
    terms = made(pool, lemma.rows)
    _require_form(terms, step)
    if any(not 0 <= k < len(terms) for k in lemma.roots) or len(lemma.roots) != (2 if lemma.claim == "equal" else 1):
        raise Malformed(f"{step} has no such roots")
    roots = [terms[k] for k in lemma.roots]
    if lemma.claim == "proper":
        solver.require(step, lemma.text, solver.questions.proper(roots[0]))
    elif roots[0].type != roots[1].type:
        raise Rejected(step, "its sides have different types")
    elif lemma.by == "smt":
        solver.require(step, lemma.text, solver.questions.equal(roots[0], roots[1]))
    elif not Polynomials(index_width).same(roots[0], roots[1]):
        raise Rejected(step, "its sides are different polynomials")
    return _Assembler(closure).code(terms, roots, lemma.claim == "proper")


def _require_form(terms: Sequence[Term], step: str) -> None:
    """Leaves are numbered and never poison; all else is literals and operators with one meaning."""
    leaves = 0
    for term in terms:
        if term.op == "leaf":
            if term.args or term.attrs != (("number", leaves), ("proper", True)):
                raise Malformed(f"{step} has a leaf that is not the next one")
            leaves += 1
        elif term.op != "const" and (term.op not in OPERATORS or licensed(term.attrs) or exposes(term)):
            raise Rejected(step, f"{term.op} has no one meaning")
        elif term.op == "const" and (term.args or [name for name, _ in term.attrs] != ["value"]):
            raise Malformed(f"{step} has a literal without a value")


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
            exact = all(map(_gives_exact, roots))
            ends = [registers[r.id] if exact else self._operand(r, registers[r.id], False) for r in roots]
        kinds = tuple([t.type for t in leaves])
        return Code(kinds, tuple(literals), tuple(self._instructions), tuple(ends), roots[0] if proper else None)

    def _operand(self, term: Term, register: int, exact: bool) -> int:
        """The register that has a term as an exact integer, or as bits."""
        wanted = exact and isinstance(term.type, IndexType)
        if wanted == _gives_exact(term):
            return register
        symbol = self._closure.cast(wanted)
        if symbol is None:
            return register
        if (register, wanted) not in self._cast:
            self._cast[register, wanted] = self._emit(symbol, (register,))
        return self._cast[register, wanted]

    def _emit(self, symbol: int, operands: tuple[int, ...]) -> int:
        self._instructions.append((symbol, operands))
        return self._first + len(self._instructions) - 1


def _gives_exact(term: Term) -> bool:
    return takes_exact(term) and isinstance(term.type, IndexType)


# Laws


@cache
def equations() -> Mapping[str, Law]:
    """The laws that are equations, by name."""
    return {law.name: law for law in BOOK if not law.refines}


class Laws:
    """Uses laws of the book for ground terms."""

    def __init__(self, closure: Closure, index_width: int) -> None:
        self._closure: Final = closure
        self._width: Final = index_width
        self._folder: Final = Folder(index_width)
        self._pool: Final = TermPool()

    def sides(self, step: str, use: UseLaw, values: Mapping[str, Term]) -> tuple[int, int]:
        """The values of both sides of a law whose variables stand for these terms.

        Raises: Rejected where it is no law at these types, or not for these literals.
        """
        law = equations().get(use.law)
        if law is None:
            raise Rejected(step, f"no equation of the book is called '{use.law}'")
        kinds = [kind_of(type_of(text), self._width) for text in use.types]
        instance = law.instance(kinds) if len(kinds) == law.arity else None
        if instance is None:
            raise Rejected(step, f"'{use.law}' says nothing at these types")
        equation = self._at(step, instance.equation, values)
        numbers = {name: self._closure.value(term) for name, term in values.items()}
        return self._build(step, equation.left, numbers), self._build(step, equation.right, numbers)

    def _at(self, step: str, equation: Equation, values: Mapping[str, Term]) -> Equation:
        """The equation for the literals among the terms."""
        holes = variables(equation.left)
        if values.keys() != holes.keys() or any(values[n].type != hole.kind.type for n, hole in holes.items()):
            raise Rejected(step, "its terms are not those that the law asks for")
        if equation.given:
            raise Rejected(step, "the law has premises")
        known: dict[str, int | float] = {}
        for name, hole in holes.items():
            if hole.literal:
                value = literal(values[name])
                if value is None:
                    raise Rejected(step, f"{name} has to be a literal")
                known[name] = value
        if equation.where is not None and self._folder.evaluate(equation.where, known) != 1:
            raise Rejected(step, "its side condition does not hold")
        if equation.computed is None:
            parts = {name: _number(hole, known[name]) for name, hole in holes.items() if hole.literal}
            return Equation(replaced(equation.left, parts), replaced(equation.right, parts))
        found = at_literals(equation, known)
        if found is None or found.given:
            raise Rejected(step, "the law is not claimed for these literals")
        return found

    def _build(self, step: str, side: Pattern, numbers: Mapping[str, int]) -> int:
        folded = self._folded(side)
        if folded is not None:
            return self._closure.value(self._pool.make("const", (), side.kind.type, _literal_attributes(folded)))
        match side:
            case Variable(name=name):
                return numbers[name]
            case Operation(kind=kind, op=op, args=args, attrs=attrs):
                leaves = [self._pool.make("leaf", (), a.kind.type, (("number", k),)) for k, a in enumerate(args)]
                term = self._pool.make(op, tuple(leaves), kind.type, attrs)
                if takes_exact(term) or without_flags(attrs) != attrs:
                    raise Rejected(step, f"{op} with these attributes is no part of an equation")
                operands = [self._build(step, a, numbers) for a in args]
                return self._closure.apply(self._closure.symbol(symbol_of(term)), operands)
            case _:
                raise Rejected(step, "it computes what is no literal")

    def _folded(self, side: Pattern) -> int | float | None:
        """The value of a part that is made of literals alone."""
        if isinstance(side, Variable) or variables(side):
            return None
        value = self._folder.evaluate(side, {})
        return None if value is None else float(value) if isinstance(side.kind.type, FloatType) else value


def _number(hole: Variable, value: int | float) -> Number:
    return Number(hole.kind, value.hex() if isinstance(value, float) else value)


def _literal_attributes(value: int | float) -> Attributes:
    return (("value", value.hex() if isinstance(value, float) else value),)
