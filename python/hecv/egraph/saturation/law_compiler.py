"""Compiles laws to rules of the e-graph.

A law with literals takes two steps. First a rule *asks*: it records the literals that it matched. Between iterations
its condition, and the parts of its right side that are literals, are computed in Python (`Question.answer`), and with
these answers a second rule fires.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final

from msgspec import Struct

from hecv.base.types import FloatType
from hecv.egraph.saturation.root_conditions import conditions
from hecv.egraph.session import Column, Session, pattern
from hecv.egraph.total_terms import Symbol, literal_of, literal_symbol
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import Equation, Number, Operation, Pattern, Variable, variables
from hecv.patterns.equations.law_record import Instance
from hecv.patterns.equations.premise_facts import premise_of

LAWS: Final = "laws"
EXPANDING: Final = "expanding"
LITERALS: Final = 3
"""The most literals that a law may match."""

FOLDS: Final = frozenset(f"fold-{count}" for count in range(1, LITERALS + 1))
"""The rules that report operators on literals, for constant folding."""

OPERANDS: Final = 4
"""The most operands that a node in a law, or in a premise, may have."""


def declare(session: Session) -> None:
    """Declares the relations that rules of laws need, once a session."""
    session.prepare(range(OPERANDS + 1))
    session.ruleset(LAWS)
    session.ruleset(EXPANDING)
    session.relation("literal", ("i64",))
    session.distinct("literal")
    for count in range(1, LITERALS + 1):
        session.relation(f"ask{count}", ("i64",) * (count + 1))
        session.relation(f"fold{count}", ("i64",) * (count + 1))
        _declare_folding(session, count)
    for count in range(1, OPERANDS + 1):
        operands: tuple[Column, ...] = ("E",) * count
        session.relation(f"given{count}", ("i64", *operands))


def _declare_folding(session: Session, count: int) -> None:
    """An operator on literals is reported in `fold<n>`."""
    names = [f"a{k}" for k in range(count)]
    operands = " ".join(f"(N0 {name})" for name in names)
    body = [f"(= e (N{count} s {operands}))", *[f"(literal {name})" for name in names]]
    session.rule(LAWS, f"fold-{count}", body, [f"(fold{count} s {' '.join(names)})"])


def answers(literals: int, results: int) -> str:
    """The relation of answers to questions with this many literals and results."""
    return f"answer{literals}-{results}"


def symbol_of(pattern: Operation) -> Symbol:
    """The symbol of the root of a pattern that has no flags."""
    return Symbol(pattern.op, pattern.attrs, pattern.kind.type, tuple(a.kind.type for a in pattern.args))


class Question(Struct, frozen=True):
    """The question of a law about the literals that it matched; `computed` are the literal parts of its right side."""

    instance: Instance
    literals: tuple[Variable, ...]
    computed: tuple[Pattern, ...]

    def answer(self, symbols: Iterable[Symbol], folder: Folder) -> tuple[Symbol, ...] | None:
        """The computed literals; None if the condition does not hold, or something cannot be computed."""
        values: dict[str, int | float] = {}
        for hole, symbol in zip(self.literals, symbols, strict=True):
            value = literal_of(symbol)
            if value is None or symbol.type != hole.kind.type:
                return None
            values[hole.name] = value
        where, computed = self.instance.equation.where, self.instance.equation.computed
        if where is not None and folder.evaluate(where, values) != 1:
            return None
        if computed is not None:
            outputs = computed(values)
            if outputs is None:
                return None
            values |= outputs
        found: list[Symbol] = []
        for part in self.computed:
            value = folder.evaluate(part, values)
            if value is None:
                return None
            found.append(
                literal_symbol(float(value) if isinstance(part.kind.type, FloatType) else value, part.kind.type)
            )
        return tuple(found)


class Compiler:
    """Compiles instances of laws to rules of one session."""

    def __init__(self, session: Session) -> None:
        self.session: Final = session
        self.questions: Final[dict[int, Question]] = {}
        self._answers: set[tuple[int, int]] = set()

    def add(self, instance: Instance, expanding: str = EXPANDING) -> None:
        """Declares the rules of a law at certain types; those of an expanding law in the ruleset `expanding`."""
        equation = instance.equation
        assert not instance.law.refines, f"{instance.name} holds one way and is no union"
        ruleset = expanding if instance.law.expands else LAWS
        literals = tuple(v for v in variables(equation.left).values() if v.literal)
        body = [*self._root(equation), *[f"(literal {v.name})" for v in literals]]
        body += [self._premise(premise) for premise in equation.given]
        computed = tuple(dict.fromkeys(_computed(equation.right, variables(equation.left).keys())))
        if literals and (computed or equation.where is not None or equation.computed is not None):
            question = self.session.symbol(("question", instance.name))
            self.questions[question] = Question(instance, literals, computed)
            names = " ".join(v.name for v in literals)
            self.session.rule(ruleset, f"{instance.name}?", body, [f"(ask{len(literals)} {question} {names})"])
            self._prepare(len(literals), len(computed))
            results = " ".join(f"result{k}" for k in range(len(computed)))
            body.append(f"({answers(len(literals), len(computed))} {question} {names} {results})")
        known = {part: f"(N0 result{k})" for k, part in enumerate(computed)}
        numbers = [self._number(n) for n in _numbers(equation.right)]
        head = [f"(union root {self._text(equation.right, known)})", *[f"(literal {n})" for n in numbers]]
        self.session.rule(ruleset, instance.name, body, head)

    def _root(self, equation: Equation) -> list[str]:
        if not isinstance(equation.left, Operation):
            return [f"(= root {self._text(equation.left, {})})"]
        symbol = self.session.symbol(symbol_of(equation.left))
        return conditions("root", equation, symbol, lambda part: self._text(part, {}))

    def _prepare(self, literals: int, results: int) -> None:
        """Declares the relation of such answers."""
        if (literals, results) not in self._answers:
            self._answers.add((literals, results))
            self.session.relation(answers(literals, results), ("i64",) * (1 + literals + results))

    def _premise(self, premise: Operation) -> str:
        kind = self.session.symbol(premise_of(premise))
        return f"(given{len(premise.args)} {kind} {' '.join(self._text(a, {}) for a in premise.args)})"

    def _text(self, part: Pattern, known: dict[Pattern, str]) -> str:
        if part in known:
            return known[part]
        match part:
            case Variable(name=name, literal=literal):
                return f"(N0 {name})" if literal else name
            case Number():
                return pattern(self._number(part))
            case Operation(args=args):
                return pattern(self.session.symbol(symbol_of(part)), *[self._text(a, known) for a in args])
            case _:
                raise AssertionError(part)

    def _number(self, number: Number) -> int:
        value = float.fromhex(number.value) if isinstance(number.value, str) else number.value
        return self.session.symbol(literal_symbol(value, number.kind.type))


def _computed(part: Pattern, given: Container[str]) -> list[Pattern]:
    """The largest parts that are made of literals by operators, and literals that are not `given`."""
    if isinstance(part, Variable) and part.literal and part.name not in given:
        return [part]
    if not isinstance(part, Operation):
        return []
    holes = variables(part).values()
    if holes and all(v.literal for v in holes):
        return [part]
    return [found for a in part.args for found in _computed(a, given)]


def _numbers(part: Pattern) -> list[Number]:
    match part:
        case Number():
            return [part]
        case Operation(args=args):
            return [n for a in args for n in _numbers(a)]
        case _:
            return []
