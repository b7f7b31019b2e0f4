"""Rules of files as laws: their types, conditions and alternates, and what is no law."""

from __future__ import annotations

import sys

import pytest

from hecv.base.diagnostics import InputError
from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.laws.audit.equation_evidence import Judge, Judgement
from hecv.patterns.calculus.pattern_ast import (
    TRUE,
    Branch,
    Build,
    Computed,
    Definition,
    Known,
    Parameter,
    Rule,
    RuleFile,
    Same,
    Variable,
)
from hecv.patterns.equations.equations import Equation, Kind, kind_of
from hecv.patterns.equations.law_record import rule_of
from hecv.patterns.typing.typed_rules import Typed, laws_of
from hecv.rule_files.rule_loader import loads

KINDS = tuple(kind_of(t, 64) for t in (BOOL, IntType(8), IntType(32), INDEX, FloatType("f32"), FloatType("f64")))
JUDGE = Judge()


def typed(text: str, index_width: int = 64) -> Typed:
    return laws_of(loads("from hecv.rules import *\n" + text, "rules.py"), index_width)


def equations(text: str) -> dict[str, Equation]:
    """The equations of the only rule, by their types."""
    return {i.name: i.equation for law in typed(text).laws for i in law.instances(KINDS)}


def judged(text: str, kinds: tuple[Kind, ...] = KINDS) -> dict[str, Judgement]:
    found: dict[str, Judgement] = {}
    for law in typed(text).laws:
        for instance in law.instances(kinds):
            if instance.equation.computed is None:
                found[instance.name] = JUDGE.judge(instance)
            else:
                worst = sorted(JUDGE.samples(instance), key=lambda j: j.status != "failed")
                found[instance.name] = worst[0] if worst else Judgement("inapplicable")
    return found


def statuses(text: str) -> set[str]:
    return {judgement.status for judgement in judged(text).values()}


COMMUTES = """
@law
def turned(x, y):
    return x + y, y + x
"""


def test_integers_only() -> None:
    names = {f"turned@{t}" for t in ("i1", "i8", "i32", "index")}
    assert equations(COMMUTES).keys() == names and statuses(COMMUTES) == {"proved"}


def test_three_lines() -> None:
    text = "@law\ndef muli_two(x):\n    return x * 2, x << 1\n"
    law = typed(text).laws[0]
    assert (law.name, law.place) == ("muli-two", "rules.py:3") and statuses(text) == {"proved"}


def test_floats_only() -> None:
    text = "@law\ndef minus(x):\n    return arith.negf(arith.negf(x)), x\n"
    assert equations(text).keys() == {"minus@f32", "minus@f64"} and statuses(text) == {"proved"}


def test_types_of_a_comparison() -> None:
    text = """
@law
def turned(x, y):
    return arith.cmpi(x, y, predicate="slt"), arith.cmpi(y, x, predicate="sgt")
"""
    found = equations(text)
    assert len(found) == 4 and all(e.left.kind.type == BOOL for e in found.values()) and statuses(text) == {"proved"}


def test_types_of_casts() -> None:
    text = """
@law
def there_and_back(x):
    wide = arith.extui(x)
    return arith.trunci(wide), x
"""
    # i1 to i8, i1 to i32, i8 to i32, and back.
    assert len(equations(text)) == 3 and statuses(text) == {"proved"}


def test_type_of_the_right_side() -> None:
    text = """
@law
def again(x):
    return arith.extui(arith.extui(x)), arith.extui(x)
"""
    assert equations(text).keys() == {"again@i1,i8,i32"} and statuses(text) == {"proved"}


def test_guard_on_the_type() -> None:
    text = """
@law
def negation_of_bits(x):
    assert x.width == 1
    return x + 1, x ^ 1
"""
    assert equations(text).keys() == {"negation-of-bits@i1"} and statuses(text) == {"proved"}
    assert "failed" in statuses(text.replace("    assert x.width == 1\n", ""))


def test_branches_exclude_each_other() -> None:
    text = """
@pattern
def increment(x):
    return x + 1

@rule(increment)
def increased(x):
    if x.width == 1:
        return x ^ 1
    return x - (-1)
"""
    found = judged(text)
    assert found.keys() == {"increased#1@i1", "increased#2@i8", "increased#2@i32", "increased#2@index"}
    assert {j.status for j in found.values()} == {"proved"}
    assert {rule_of(name) for name in found} == {"increased"}


def test_alternates() -> None:
    text = """
@pattern
def half(x):
    return arith.divf(x, 2.0)
@pattern
def half(x):
    return arith.mulf(x, 0.5)

@rule(half)
def halved(x):
    return arith.mulf(x, 0.5)
"""
    assert len(typed(text).laws) == 2 and "failed" not in statuses(text)
    assert {judged(text)[f"halved#{k}@f32"].status for k in (1, 2)} == {"proved"}


def test_match_constraint() -> None:
    text = """
@law
def turned_over_and_back(x):
    y = var()
    y <= x ^ -1
    return y ^ -1, x
"""
    assert statuses(text) == {"proved"}


def test_literal_computed() -> None:
    text = """
@law
def power(x, c):
    assert is_power_of_two(c.value)
    return x * c, x << log2(c.value)
"""
    assert statuses(text) == {"proved", "inapplicable"}  # of one bit there is no power of two
    equation = equations(text)["power@i8"]
    assert equation.computed is not None
    assert equation.computed({"?c": 8}) == {"?0": 3} and equation.computed({"?c": 6}) is None
    assert "failed" in statuses(text.replace("log2(c.value)", "log2(c.value) + 1"))


def test_literal_guard() -> None:
    text = """
@law
def masked(x, c):
    assert c.value == -1
    return x & c, x
"""
    assert statuses(text) <= {"proved", "inapplicable"}
    assert "failed" in statuses(text.replace("== -1", "!= 0"))


@pytest.mark.one_in(2)
def test_flags_are_premises() -> None:
    text = """
@law
def divided(x, y):
    return arith.divui(arith.muli(x, y, overflow="nuw"), y), x
"""
    (given,) = equations(text)["divided@i8"].given
    assert given.attrs == (("overflow", "nuw"),)
    # A flag says nothing of y, and where that is 0, only the left side is undefined.
    assert judged(text)["divided@i8"].status == "refines"
    assert judged(text.replace("y), x", "y), y"))["divided@i8"].status == "failed"


def test_one_way() -> None:
    text = "@law\ndef same(x):\n    return arith.divui(x, x), 1\n"
    found = judged(text)
    assert found["same@i8"].status == "refines" and found["same@i8"].model == {"x": 0}
    assert found["same@i32"].status == "refines"


def test_false() -> None:
    found = judged("@law\ndef off(x, y):\n    return x + y, x - y\n")["off@i8"]
    assert found.status == "failed" and found.model is not None and found.model.keys() == {"x", "y"}


@pytest.mark.one_in(2)
def test_functions_of_which_nothing_is_known() -> None:
    even = "@law\ndef even(x):\n    return math.cos(arith.negf(x)), math.cos(x)\n"
    assert statuses(even) == {"tested"}
    product = "@law\ndef sums(x, y):\n    return arith.mulf(math.exp(x), math.exp(y)), math.exp(arith.addf(x, y))\n"
    assert statuses(product) == {"trusted"}
    congruent = "@law\ndef inside(x):\n    return math.exp(arith.negf(arith.negf(x))), math.exp(x)\n"
    assert statuses(congruent) == {"proved"}


def test_turned_around() -> None:
    """A left side that is a variable matches everything: the equation is used from right to left."""
    x = Parameter("x")
    branch = Branch(TRUE, Build("arith.addi", (Same("x"), Computed(Known(0)))))
    definitions = {"any": Definition("any", (x,), Variable("x"))}
    (law,) = laws_of(RuleFile("rules.py", {}, definitions, (Rule("padded", "any", (x,), (branch,)),))).laws
    instances = list(law.instances(KINDS))
    assert len(instances) == 4 and {JUDGE.judge(i).status for i in instances} == {"proved"}


def test_expanding() -> None:
    assert typed(COMMUTES).laws[0].expands
    assert not typed("@law\ndef minus(x):\n    return x - 0, x\n").laws[0].expands


@pytest.mark.parametrize("width", [32, 64])
def test_index_has_one_width(width: int) -> None:
    text = "@law\ndef turned(x, y):\n    return arith.addi(x, y), arith.addi(y, x)\n"
    kind = kind_of(INDEX, width)
    (instance,) = typed(text, width).laws[0].instances((kind,))
    assert instance.equation.left.kind.width == width


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "@pattern\ndef p(x):\n    return p(x) + 0\n@pattern\ndef p(x):\n    return x | x\n\n"
            "@rule(p)\ndef r(x):\n    return x\n",
            "recursive",
        ),
        (
            "@pattern\ndef p(x, f):\n    return f(f(x))\n\n@rule(p)\ndef r(x, f):\n    return f(x)\n",
            "function variables",
        ),
        ("@law\ndef r(x):\n    return tosa.abs(tosa.abs(x)), tosa.abs(x)\n", "no meaning as scalar code"),
        ("@law\ndef r(x, y):\n    return arith.cmpi(x, y), arith.cmpi(y, x)\n", "predicate"),
        ('@law\ndef r(x, y):\n    return arith.addf(x, y, fastmath="nnan"), arith.addf(y, x)\n', "fastmath"),
        ("@law\ndef r(x):\n    return arith.addi(x, arith.negf(x)), x\n", "both"),
    ],
)
def test_no_law(text: str, reason: str) -> None:
    found = typed(text)
    assert not found.laws and reason in found.others["r"]


def test_float_literals_are_rounded_to_the_format() -> None:
    text = "@law\ndef tenth(x):\n    return arith.mulf(x, 0.1), arith.mulf(0.1, x)\n"
    found = equations(text)
    assert {type(e.left) for e in found.values()} == {type(found["tenth@f64"].left)} and len(found) == 2
    assert found["tenth@f32"].left != found["tenth@f64"].left and statuses(text) == {"proved"}


def test_zeros_have_signs() -> None:
    text = "@law\ndef dropped(x):\n    return arith.addf(x, {}), x\n"
    assert "failed" in statuses(text.format("0.0")) and statuses(text.format("-0.0")) == {"proved"}


# Conditions in the arithmetic of a type, premises, types by themselves


def test_condition_by_operators_is_proved_for_all_literals() -> None:
    text = """
@law
def halves(x, k):
    assert arith.cmpi(k, x.width, predicate="ult")
    return arith.shrui(x, k), arith.divui(x, 1 << k)
"""
    found = equations(text)["halves@i8"]
    assert found.where is not None and found.computed is None
    assert statuses(text) == {"proved"}


@pytest.mark.one_in(2)
def test_condition_that_is_too_weak_is_refuted() -> None:
    text = """
@law
def halves(x, k):
    assert k.literal
    return arith.shrui(x, k), arith.divui(x, 1 << k)
"""
    assert equations(text)["halves@i8"].where is None
    assert "failed" in statuses(text)


def test_negated_condition() -> None:
    text = """
@law
def nothing_left(x, k):
    if arith.cmpi(k, x.width, predicate="ult"):
        assert False
    return x << k, 0
"""
    assert statuses(text) == {"proved"}


def test_condition_beside_others_in_an_or_is_no_equation() -> None:
    text = """
@law
def odd(x, k):
    assert x.width == 8 or arith.cmpi(k, 3, predicate="ult")
    return x << k, x * (1 << k)
"""
    assert list(typed(text).others) == ["odd"]


def test_premise() -> None:
    text = """
@law
def one(x):
    assert defined(arith.divui(x, x))
    return arith.divui(x, x), 1
"""
    (given,) = equations(text)["one@i8"].given
    assert (given.op, given.attrs) == ("arith.divui", ())
    assert statuses(text) == {"proved"}


def test_premise_with_a_flag() -> None:
    text = """
@law
def back(x, y):
    assert defined(arith.addi(x, y, overflow="nuw"))
    return arith.cmpi(x + y, x, predicate="ult"), False
"""
    (given,) = equations(text)["back@i8"].given
    assert (given.op, given.attrs) == ("arith.addi", (("overflow", "nuw"),))
    assert statuses(text) == {"proved"}


def test_type_that_stands_by_itself() -> None:
    text = """
@law
def field(x):
    narrow = some_type()
    k = x.width - narrow.width
    return arith.shrsi(x << k, k), arith.extsi(arith.trunci(x, type=narrow.type))
"""
    assert equations(text).keys() == {"field@i8,i1", "field@i32,i1", "field@i32,i8"}
    assert statuses(text) == {"proved"}


def test_computed_literal_on_the_left_is_modulo_the_width() -> None:
    text = """
@law
def least(x):
    return arith.minsi(x, 1 << (x.width - 1)), 1 << (x.width - 1)
"""
    assert {"least@i1", "least@i8", "least@index"} <= equations(text).keys()
    assert statuses(text) == {"proved"}


def test_poison_is_no_value() -> None:
    text = """
@law
def either(p, x):
    return arith.select(p, ub.poison(), x), x
"""
    assert typed(text).others == {"either": "poison is no value"}


WIDE = """
@{kind}
def wide(x):
    y = x
    for _ in range({doublings}):
        y = y + y
    return {result}
"""


def test_law_that_doubles_its_left_side_is_no_equation() -> None:
    found = typed(WIDE.format(kind="law", doublings=30, result="y, x"))
    assert found.others == {"wide": "written out, it has more than 1,000 operators"}


def test_law_that_doubles_its_right_side_is_refused() -> None:
    with pytest.raises(InputError, match="written out, this has more than 5,000 operators"):
        typed(WIDE.format(kind="law", doublings=30, result="x * 2, y"))


def test_law_that_nests_too_deep_is_refused() -> None:
    text = """
@law
def deep(x):
    y = x
    for _ in range(100_000):
        y = y + 1
    return y, x
"""
    with pytest.raises(InputError, match="this nests too deep"):
        typed(text)


def test_law_that_nests_too_deep_is_refused_whatever_the_limit_of_recursion_is() -> None:
    """Proofs raise it, and deeper recursion by way of C overflows the stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        test_law_that_nests_too_deep_is_refused()
        assert sys.getrecursionlimit() == 200_000
    finally:
        sys.setrecursionlimit(before)


def test_a_guard_on_flags_is_no_part_of_an_equation() -> None:
    """A law that never applied, and said so only by saying nothing."""
    text = "@law\ndef grows(x, y):\n    s = x + y\n    assert 'nsw' in s.overflow\n    return s ^ 0, s\n"
    assert typed(text).others == {"grows": "a guard asks for the flags of s, which stand at the operator in a law"}


@pytest.mark.parametrize(("width", "status"), [(64, "proved"), (32, "failed")])
def test_a_law_by_way_of_index_is_judged_at_its_width(width: int, status: str) -> None:
    """At 32 bits it was taken for one that holds one way: as if `index` had 64 there."""
    text = "@law\ndef back(x):\n    return arith.index_cast(arith.index_cast(x, type='index'), type='i64'), x\n"
    (law,) = typed(text, width).laws
    (instance,) = law.instances(KINDS)
    assert JUDGE.judge(instance).status == status
