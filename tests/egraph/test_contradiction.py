"""A wrong law is caught where it makes two literals equal."""

from __future__ import annotations

import pytest

from hecv.egraph.normal_forms.bitvector_forms import NormalForms
from hecv.egraph.normal_forms.operator_chains import NormalNode, Operand
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.egraph.session import Contradiction
from hecv.egraph.total_terms import literal_symbol
from hecv.laws.all_laws import LAWS
from hecv.laws.notation.subject_book import Book
from hecv.rules import arith

from .terms import Terms

wrong = Book("integers")


@wrong.law("remui-is-remsi")
def _(x, y):
    return arith.remui(x, y), arith.remsi(x, y)


def test_two_literals_in_one_class_are_an_internal_error() -> None:
    t = Terms()
    source = t.op("remui", t.literal(-7), t.literal(5))
    with pytest.raises(Contradiction):
        TermEngine([*LAWS, *wrong.laws]).equal(source, t.leaf(0))
    assert not TermEngine(LAWS).equal(source, t.leaf(0)).proved


def test_the_engine_goes_on_after_a_contradiction() -> None:
    t = Terms()
    engine = TermEngine([*LAWS, *wrong.laws])
    with pytest.raises(Contradiction):
        engine.equal(t.op("remui", t.literal(-7), t.literal(5)), t.leaf(0))
    assert engine.equal(t.op("divui", t.leaf(0), t.literal(4)), t.op("shrui", t.leaf(0), t.literal(2))).proved


def test_two_literals_of_one_class_are_seen_by_normal_forms() -> None:
    t = Terms()
    five, six = literal_symbol(5, t.type), literal_symbol(6, t.type)
    forms = NormalForms(2, 64)
    forms.enter(0, NormalNode(five, ()))
    forms.enter(1, NormalNode(six, ()))
    same = literal_symbol(5, t.type)
    with pytest.raises(Contradiction):
        forms.enter(1, NormalNode(same, tuple[Operand, ...]()))
