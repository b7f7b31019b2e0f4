"""Comparisons without sign, as isl has them."""

from __future__ import annotations

from itertools import product

import pytest

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX
from hecv.dataflow.model.isl_translation import Parameters, Translator
from hecv.dataflow.model.value_dataflow import Isl

VALUES = (-3, -1, 0, 1, 3)
MEANING = {"ult": int.__lt__, "ule": int.__le__, "ugt": int.__gt__, "uge": int.__ge__}


@pytest.mark.parametrize("predicate", MEANING)
@pytest.mark.parametrize("holds", [True, False])
def test_a_negative_word_is_greater(predicate: str, holds: bool) -> None:
    pool = TermPool()
    left, right = pool.argument(0, INDEX), pool.argument(1, INDEX)
    term = pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))
    parameters = Parameters()
    translator = Translator(parameters, {})
    condition = translator.condition(term, holds)
    texts = [translator.index(x).text for x in (left, right)]
    space = Isl(parameters, [], 1_000_000)
    for a, b in product(VALUES, VALUES):
        here = space.set(f"{{ : ({condition}) and {texts[0]} = {a} and {texts[1]} = {b} }}")
        expected = MEANING[predicate](a % 2**64, b % 2**64) == holds
        assert here.is_empty() != expected, (a, b)
