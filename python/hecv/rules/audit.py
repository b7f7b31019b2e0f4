"""Proves laws by Z3, one type at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hecv.base.theory import Constant, Expression, Outcome, Sort, Variable, bits, holds, not_, sort_of, ult, width
from hecv.dialects import OPERATORS
from hecv.rules.integral import proved_over_integers
from hecv.rules.language import Kind, Number, Operation, Pattern, variables
from hecv.rules.language import Variable as Hole
from hecv.rules.law import Instance
from hecv.smt.prove import Model, Proved, Refuted, Vacuous, decide
from hecv.smt.theory import Operand, Translator

BLASTED: Final = 8
"""The greatest width at which laws on products and quotients of variables are proved bit by bit."""

Result = Literal["proved", "refuted", "unknown", "inapplicable"]


@dataclass(frozen=True, slots=True)
class Audit:
    """What Z3 says of one law at certain types, and where it is refuted, a counterexample by the names of the holes.

    `inapplicable`: its conditions never hold.
    """

    result: Result
    model: Model | None = None


def audit(instance: Instance, milliseconds: int) -> Audit:
    """Whether the equation holds for all values of its holes for which its condition and premises hold.

    A law that is proved over the integers is so beyond `BLASTED` bits, and bit by bit up to there. Where Z3 gives up
    and a literal of the law is less than the width, each value of that literal is tried by itself.
    """
    integral = instance.law.integral
    if integral and any(kind.width > BLASTED for kind in instance.kinds):
        proved = proved_over_integers(instance, integral == "signed", milliseconds)
        return Audit("proved" if proved else "unknown")
    holes = variables(instance.equation.left)
    literal = next((name for name, hole in holes.items() if hole.literal), None)
    if literal is None or not _below_width(instance, holes[literal], milliseconds):
        return _decide(instance, {}, milliseconds)
    whole = _decide(instance, {}, milliseconds // 10)
    if whole.result != "unknown":
        return whole
    cases = [_decide(instance, {literal: k}, milliseconds) for k in range(holes[literal].kind.width)]
    refuted = next((case for case in cases if case.result == "refuted"), None)
    results = {case.result for case in cases} - {"inapplicable"}
    return refuted or (Audit("proved") if results == {"proved"} else Audit("unknown"))


def _decide(instance: Instance, values: Mapping[str, int], milliseconds: int) -> Audit:
    """The equation, with these values for some holes."""
    z3 = Translator()
    equation = instance.equation
    operands = _operands(z3, variables(equation.left), values)
    left, right = meaning(equation.left).value, meaning(equation.right).value
    sides = z3.translate_all((left, right, *_conditions(instance)), operands)
    match decide(sides[0] == sides[1], sides[2:], milliseconds):
        case Proved():
            return Audit("proved")
        case Refuted(model):
            return Audit("refuted", model)
        case Vacuous():
            return Audit("inapplicable")
        case _:
            return Audit("unknown")


def _below_width(instance: Instance, hole: Hole, milliseconds: int) -> bool:
    """The law's condition implies that the hole is less than the width."""
    where = instance.equation.where
    if where is None:
        return False
    z3 = Translator()
    operands = _operands(z3, variables(instance.equation.left), {})
    operand = meaning(hole).value
    sides = z3.translate_all((ult(operand, width(operand)), holds(meaning(where).value)), operands)
    return decide(sides[0], sides[1:], milliseconds) == Proved()


def _operands(z3: Translator, holes: Mapping[str, Hole], values: Mapping[str, int]) -> dict[str, Operand]:
    found: dict[str, Operand] = {}
    for name, hole in holes.items():
        sort = _sort(hole.kind)
        value = z3.literal(values[name], sort) if name in values else z3.variable(name, sort)
        found[name] = Operand(value, z3.false)
    return found


def _conditions(instance: Instance) -> list[Expression]:
    """What the law may assume."""
    where = instance.equation.where
    conditions: list[Expression] = [] if where is None else [holds(meaning(where).value)]
    for premise in instance.equation.given:
        outcome = meaning(premise)
        conditions += [not_(outcome.poison), not_(outcome.ub)]
    return conditions


def meaning(pattern: Pattern) -> Outcome:
    """What a pattern computes, over variables named as its holes; poison and ub are those of its root alone."""
    match pattern:
        case Hole(kind=kind, name=name):
            return Outcome(Variable(_sort(kind), name, proper=True))
        case Number():
            return Outcome(_constant(pattern))
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            operands: tuple[Expression, ...] = tuple(meaning(a).value for a in args)
            return OPERATORS[op].outcome(operands, _sort(kind), attrs)
        case _:
            raise AssertionError(pattern)


def _constant(pattern: Number) -> Constant:
    if isinstance(pattern.value, str):
        return Constant(_sort(pattern.kind), float.fromhex(pattern.value))
    return bits(pattern.value, _sort(pattern.kind))


def _sort(kind: Kind) -> Sort:
    return sort_of(kind.type, kind.width)
