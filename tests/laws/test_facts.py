"""What is known wherever a term is neither undefined nor poison."""

from __future__ import annotations

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, IntType
from hecv.patterns.equations.premise_facts import facts_of

I32 = IntType(32)
pool = TermPool()


def leaf(number: int, type_: IntType = I32) -> Term:
    return pool.make("leaf", (), type_, (("number", number),))


def op(name: str, *args: Term, **attrs: str | bool) -> Term:
    return pool.make(f"arith.{name}", args, args[-1].type, tuple(attrs.items()))


def known(source: Term) -> set[tuple[str, str, tuple[Term, ...]]]:
    return {(fact.premise.op, fact.premise.flag, fact.args) for fact in facts_of(source)}


x, y, p = leaf(0), leaf(1), leaf(2, BOOL)


def test_a_total_operator_tells_nothing() -> None:
    assert known(op("addi", x, y)) == set()
    assert known(op("addi", x, y, overflow="none")) == set()


def test_a_division_is_defined() -> None:
    assert known(op("addi", op("divui", x, y), x)) == {("arith.divui", "", (x, y))}


def test_flags_count_one_by_one() -> None:
    source = op("muli", x, y, overflow="nsw, nuw")
    assert known(source) == {("arith.muli", "nsw", (x, y)), ("arith.muli", "nuw", (x, y))}


def test_a_shift_amount_is_less_than_the_width() -> None:
    assert known(op("shli", x, y, overflow="nuw")) == {("arith.shli", "", (x, y)), ("arith.shli", "nuw", (x, y))}


def test_a_branch_that_may_not_be_chosen_may_be_poison() -> None:
    flagged = op("addi", x, y, overflow="nsw")
    assert known(op("select", p, flagged, x)) == set()


def test_a_division_in_such_a_branch_is_evaluated_all_the_same() -> None:
    quotient = op("divui", x, y, exact=True)
    assert known(op("select", p, quotient, x)) == {("arith.divui", "", (x, y))}
    assert known(quotient) == {("arith.divui", "", (x, y)), ("arith.divui", "exact", (x, y))}


def test_a_divisor_is_not_poison_even_there() -> None:
    divisor = op("addi", x, y, overflow="nsw")
    quotient = op("divui", x, divisor)
    found = known(op("select", p, quotient, x))
    assert found == {("arith.divui", "", (x, divisor)), ("arith.addi", "nsw", (x, y))}


def test_a_dividend_there_may_be() -> None:
    dividend = op("addi", x, y, overflow="nsw")
    quotient = op("divui", dividend, y)
    assert known(op("select", p, quotient, x)) == {("arith.divui", "", (dividend, y))}


def test_a_condition_is_not_poison() -> None:
    condition = op("ori", p, p, disjoint=True)
    assert known(op("select", condition, x, y)) == {("arith.ori", "disjoint", (p, p))}


def test_an_address_is_not_poison() -> None:
    index = op("addi", x, y, overflow="nsw")
    element = pool.make("load", (index,), I32, (("memory", 0),))
    assert ("arith.addi", "nsw", (x, y)) in known(op("select", p, element, x))


def test_a_condition_in_such_a_branch_may_be_poison() -> None:
    condition = op("ori", p, p, disjoint=True)
    assert known(op("select", p, op("select", condition, x, y), y)) == set()


def test_operands_of_a_strict_operator_are_not_poison() -> None:
    flagged = op("addi", x, y, overflow="nsw")
    assert known(op("muli", x, op("xori", y, flagged))) == {("arith.addi", "nsw", (x, y))}


def test_a_flag_that_is_off_tells_nothing() -> None:
    assert known(op("divui", x, y, exact=False)) == {("arith.divui", "", (x, y))}
