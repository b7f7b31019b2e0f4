"""Semantics is monotone: an operator that is defined and not poison stays so, with the same value, when an operand that
was poison becomes any value. `hecv.smt.term_refinement` rests on it, and so does every proof that speaks of total
values alone.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from hecv.base.theory import (
    BitsSort,
    IntegerSort,
    Outcome,
    Sort,
    Variable,
    add,
    any_of,
    eq,
    like,
    not_,
    poison_unless,
    poisoned,
    undefined_unless,
)
from hecv.base.types import FloatType, IntType
from hecv.ops import OPERATORS
from hecv.smt.term_encoding import Encoder, Operand
from hecv.smt.z3_goals import Decision, Proved, Refuted, decide
from hecv.smt.z3_theory import Z3, Formula, Truth

from .cases import Case, cases

SMALL = 8
NARROW = frozenset(map(IntType, (1, 2, 3, 4, 8)))


class SameChoice(Encoder):
    """What is left open is chosen alike before and after."""

    def left_open(self, sort: Any) -> Formula:
        return self.abstraction("open", (), sort)


def monotone(encoder: Encoder, outcome: Outcome, sorts: tuple[Sort, ...]) -> Decision:
    """Whether the outcome at operands `x0`, `x1`... is refined by the one where those that are poison become anything:
    for each set of operands that are poison."""
    for spoilt in itertools.product((False, True), repeat=len(sorts)):
        before: dict[str, Operand] = {}
        after: dict[str, Operand] = {}
        for k, (sort, poison) in enumerate(zip(sorts, spoilt, strict=True)):
            value, flag = encoder.variable(f"x{k}", sort), encoder.true if poison else encoder.false
            before[f"x{k}"] = after[f"x{k}"] = Operand(value, flag)
            if poison:
                anything = encoder.variable(f"new x{k}", sort)
                after[f"x{k}"] = Operand(anything, Z3.Bool(f"new x{k} is poison", encoder.context))
        found = decide(refined(encoder, outcome, before, after), milliseconds=5_000)
        if found != Proved():
            return found
    return Proved()


def refined(encoder: Encoder, outcome: Outcome, before: dict[str, Operand], after: dict[str, Operand]) -> Truth:
    """The outcome at `after` refines the one at `before`."""
    roots = (outcome.value, outcome.poison, outcome.ub)
    value, poison, ub = encoder.translate_all(roots, before)
    value_after, poison_after, ub_after = encoder.translate_all(roots, after)
    same = encoder.all_of(encoder.not_(poison_after), value == value_after)
    return encoder.any_of(ub, encoder.all_of(encoder.not_(ub_after), encoder.any_of(poison, same)))


def small(case: Case) -> bool:
    """The case is one of the narrow types (`index` is narrow here, and f16 stands for all floats)."""
    types = (*case.types, case.result)
    wide = {t for t in types if isinstance(t, IntType) and t not in NARROW}
    return not wide and not {t for t in types if isinstance(t, FloatType)} - {FloatType("f16")}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", OPERATORS)
def test_operator_is_monotone(name: str) -> None:
    every = cases(name)
    assert every
    for case in [case for case in every if small(case)] or every[:4]:
        encoder = SameChoice(SMALL)
        outcome = encoder.outcome(case.operator, case.types, case.result, case.attributes)
        exact = case.operator.exact
        sorts = tuple(IntegerSort() if exact else encoder.sort_of(t) for t in case.types)
        assert monotone(encoder, outcome, sorts) == Proved(), str(case)


B4 = BitsSort(4)
X, Y = Variable(B4, "x0"), Variable(B4, "x1")


@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param(Outcome(add(X, Y), poisoned(X)), id="value-of-poison"),
        pytest.param(Outcome(X, any_of(poisoned(X), not_(poisoned(Y)))), id="poison-where-an-operand-is-not"),
        pytest.param(undefined_unless(not_(eq(Y, like(0, Y))), Outcome(X, poisoned(X))), id="undefined-by-poison"),
        pytest.param(poison_unless(poisoned(Y), X), id="defined-by-poison"),
    ],
)
def test_what_is_not_monotone_is_found(outcome: Outcome) -> None:
    assert isinstance(monotone(Encoder(), outcome, (B4, B4)), Refuted)
