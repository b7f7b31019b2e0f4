"""Fast-math flags one by one: what needs a flag is proved with it, refuted without, and proved by no other."""

from __future__ import annotations

from itertools import product
from math import isinf, isnan

import pytest
from tests.soundness.test_conditions import proof

from hecv.base.term import TermPool, postorder
from hecv.base.types import BOOL, FloatType
from hecv.base.value import Scalar
from hecv.check import Options, check
from hecv.laws.floats.fastmath_licences import extrema
from hecv.run.evaluation.op_evaluation import Evaluator

FLAGS = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
CONSTANTS = (
    "%zero = arith.constant 0.0 : f32\n%three = arith.constant 3.0 : f32\n%third = arith.constant 0.333333343 : f32\n"
    "%inf = arith.constant 0x7F800000 : f32\n%true = arith.constant true\n"
)

PAIRS = {
    "order of a sum": (
        "reassoc",
        "%s = arith.addf %x, %y{0} : f32\n%r = arith.addf %s, %z{0} : f32",
        "%s = arith.addf %y, %z{0} : f32\n%r = arith.addf %x, %s{0} : f32",
    ),
    "order of a product": (
        "reassoc",
        "%s = arith.mulf %x, %y{0} : f32\n%r = arith.mulf %s, %z{0} : f32",
        "%s = arith.mulf %x, %z{0} : f32\n%r = arith.mulf %s, %y{0} : f32",
    ),
    "a number is itself": (
        "nnan",
        "%c = arith.cmpf oeq, %x, %x{0} : f32\n%r = arith.select %c, %x, %zero : f32",
        "%r = arith.maximumf %x, %x : f32",
    ),
    "no infinity": (
        "ninf",
        "%c = arith.cmpf oeq, %x, %inf{0} : f32\n%r = arith.select %c, %zero, %x : f32",
        "%r = arith.maximumf %x, %x : f32",
    ),
    "zero is neutral": (
        "nsz",
        "%s = arith.addf %x, %zero{0} : f32\n%r = arith.mulf %s, %y{0} : f32",
        "%r = arith.mulf %x, %y : f32",
    ),
    "difference from zero": ("nsz", "%r = arith.subf %zero, %x{0} : f32", "%r = arith.negf %x : f32"),
    "reciprocal": (
        "arcp",
        "%r = arith.divf %x, %three{0} : f32",
        "%r = arith.mulf %x, %third : f32",
    ),
    "fused": (
        "contract",
        "%s = arith.mulf %x, %y{0} : f32\n%r = arith.addf %s, %z{0} : f32",
        "%r = math.fma %x, %y, %z : f32",
    ),
}


def verdict(source: str, target: str, flags: tuple[str, ...]) -> str:
    given = f" fastmath<{','.join(flags)}>" if flags else ""
    texts = [
        f"func.func @f(%x: f32, %y: f32, %z: f32) -> f32 {{\n{CONSTANTS}{ops.format(given)}\nreturn %r : f32\n}}"
        for ops in (source, target)
    ]
    return check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0].verdict


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", PAIRS)
def test_a_law_needs_its_flag(name: str) -> None:
    flag, source, target = PAIRS[name]
    assert verdict(source, target, (flag,)) in ("equivalent", "refines")
    assert verdict(source, target, ()) == "not-equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PAIRS)
def test_no_other_flag_will_do(name: str) -> None:
    flag, source, target = PAIRS[name]
    others = tuple(other for other in FLAGS if other != flag)
    assert verdict(source, target, others) not in ("equivalent", "refines")


@pytest.mark.parametrize("name", PAIRS)
def test_a_flag_of_the_target_licenses_nothing(name: str) -> None:
    flag, source, _ = PAIRS[name]
    flagged = source.replace("{0}", f" fastmath<{flag}>")
    assert verdict(source, flagged, ()) not in ("equivalent", "refines")


def test_a_target_that_may_be_contracted_may_also_not_be() -> None:
    """LLVM makes one op of the two; runs look at what is written."""
    _, apart, fused = PAIRS["fused"]
    assert verdict(fused, apart.replace("{0}", " fastmath<contract>"), ()) == "not-equivalent"


CALLED = """func.func private @g(%n: i32, %x: f32, %y: f32, %z: f32) -> f32 {{
  %c0 = arith.constant 0 : i32
  %p = arith.cmpi eq, %n, %c0 : i32
  %q = scf.if %p -> f32 {{
    {0}
    scf.yield %r : f32
  }} else {{
    %k = arith.subi %n, %n : i32
    %r = func.call @g(%k, %x, %y, %z) : (i32, f32, f32, f32) -> f32
    scf.yield %r : f32
  }}
  return %q : f32
}}
func.func @f(%n: i32, %x: f32, %y: f32, %z: f32) -> f32 {{
  %r = func.call @g(%n, %x, %y, %z) : (i32, f32, f32, f32) -> f32
  return %r : f32
}}"""


@pytest.mark.parametrize(("flag", "refuted"), [(" fastmath<reassoc>", False), ("", True)])
def test_flags_of_what_is_called_count(flag: str, refuted: bool) -> None:
    """A function that calls itself is not inlined."""
    texts = [CALLED.format(ops.replace("{0}", flag)) for ops in PAIRS["order of a sum"][1:]]
    found = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(functions=("f",)))
    assert (found.verdict == "not-equivalent") is refuted


ZEROS = {
    "a difference of a sum": (
        "%s = arith.subf %x, %y{0} : f32\n%r = arith.subf %s, %z{0} : f32",
        "%s = arith.addf %y, %z{0} : f32\n%r = arith.subf %x, %s{0} : f32",
    ),
    "what cancels": (
        "%s = arith.addf %x, %y{0} : f32\n%r = arith.subf %s, %x{0} : f32",
        "%s = arith.subf %x, %x{0} : f32\n%r = arith.subf %y, %s{0} : f32",
    ),
}


@pytest.mark.parametrize("name", ZEROS)
def test_the_sign_of_a_sum_that_is_zero_depends_on_its_order(name: str) -> None:
    """Of -0.0, 1.0 and -1.0."""
    source, target = ZEROS[name]
    assert verdict(source, target, ("reassoc",)) != "not-equivalent"
    assert verdict(source, target, ()) == "not-equivalent"


def test_what_afn_allows_is_not_known() -> None:
    root = "%r = math.sqrt %x{0} : f32"
    assert verdict(root, root.replace("math.sqrt", "math.cbrt"), ("afn",)) not in ("equivalent", "refines")
    assert verdict(root, root.replace("{0}", ""), ("afn",)) in ("equivalent", "refines")
    assert verdict(root.replace("{0}", ""), root, ("afn",)) not in ("equivalent", "refines")


# What fast flags say of floats that are infinite or NaN: only what the source computes with is known not to be


FAST = " fastmath<fast>"
ARMS = """%c = arith.cmpf olt, %y, %z : f32
%d = arith.cmpf olt, %z, %three : f32
%i = arith.divf %y, %x{0} : f32
%a = arith.select %c, %i, %zero : f32
"""
UNUSED = {
    "a difference of what the source does not compute with": (
        "%r = arith.addf %y, %z{0} : f32",
        "%s = arith.addf %y, %z{0} : f32\n%d = arith.subf %x, %x{0} : f32\n%r = arith.addf %s, %d{0} : f32",
    ),
    "a product with zero": (
        "%r = arith.addf %y, %z{0} : f32",
        "%s = arith.addf %y, %z{0} : f32\n%d = arith.mulf %x, %zero{0} : f32\n%r = arith.addf %s, %d{0} : f32",
    ),
    "a quotient that the source may not select": (
        ARMS + "%b = arith.select %d, %y, %zero : f32\n%r = arith.addf %a, %b{0} : f32",
        ARMS
        + "%o = arith.subf %i, %i{0} : f32\n%p = arith.addf %y, %o{0} : f32\n"
        + "%b = arith.select %d, %p, %zero : f32\n%r = arith.addf %a, %b{0} : f32",
    ),
    "a quotient that is selected elsewhere": (
        ARMS + "%r = arith.addf %a, %y{0} : f32",
        ARMS
        + "%b = arith.select %d, %i, %zero : f32\n%o = arith.subf %b, %b{0} : f32\n"
        + "%s = arith.addf %a, %y{0} : f32\n%r = arith.addf %s, %o{0} : f32",
    ),
}


@pytest.mark.one_in(8)
@pytest.mark.egraph
@pytest.mark.parametrize("name", UNUSED)
@pytest.mark.parametrize("given", ["", FAST])
def test_fast_flags_say_nothing_of_what_the_source_does_not_use(name: str, given: str) -> None:
    source, target = UNUSED[name]
    assert proved(source.format(FAST), target.format(given)) is None
    assert proved(target.format(FAST), source.format(given)) == "refines"


NEUTRAL = {
    "a sum with -0": (
        "reassoc,nnan",
        "%s = arith.addf %y, %z{0} : f32\n%r = arith.select %c, %s, %x : f32",
        "%s = arith.addf %z, %y{0} : f32\n%minus = arith.constant -0.0 : f32\n%u = arith.addf %x, %minus{0} : f32\n"
        "%r = arith.select %c, %s, %u : f32",
    ),
    "a product with 1": (
        "reassoc,ninf",
        "%s = arith.mulf %y, %z{0} : f32\n%r = arith.select %c, %s, %x : f32",
        "%s = arith.mulf %z, %y{0} : f32\n%one = arith.constant 1.0 : f32\n%u = arith.mulf %x, %one{0} : f32\n"
        "%r = arith.select %c, %s, %u : f32",
    ),
    "a sign that changes twice": (
        "nsz,nnan",
        "%s = arith.addf %y, %zero{0} : f32\n%r = arith.select %c, %s, %x : f32",
        "%u = arith.negf %x{0} : f32\n%v = arith.negf %u{0} : f32\n%r = arith.select %c, %y, %v : f32",
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.egraph
@pytest.mark.parametrize("name", NEUTRAL)
def test_a_flag_makes_poison_of_what_the_source_does_not_compute_with(name: str) -> None:
    flags, source, target = NEUTRAL[name]
    given, choice = f" fastmath<{flags}>", "%c = arith.cmpf olt, %y, %z : f32\n"
    assert proved(choice + source.format(given), choice + target.format(given)) is None
    assert proved(choice + source.format(given), choice + target.format("")) == "refines"


@pytest.mark.egraph
def test_what_is_selected_may_be_computed_in_another_way() -> None:
    source = (
        ARMS + "%q = arith.mulf %i, %z{0} : f32\n%b = arith.select %d, %q, %zero : f32\n%r = arith.addf %a, %b{0} : f32"
    )
    target = ARMS + (
        "%q = arith.mulf %y, %z{0} : f32\n%p = arith.divf %q, %x{0} : f32\n"
        "%b = arith.select %d, %p, %zero : f32\n%r = arith.addf %b, %a{0} : f32"
    )
    assert proved(source.format(FAST), target.format(FAST)) == "array dataflow"


def proved(source: str, target: str) -> str | None:
    texts = [
        f"func.func @f(%x: f32, %y: f32, %z: f32) -> f32 {{\n{CONSTANTS}{ops}\nreturn %r : f32\n}}"
        for ops in (source, target)
    ]
    return proof(texts[0], texts[1])


FOLDED = {
    "a product": (
        "reassoc",
        "%s = arith.mulf %x, %a{0} : f32\n%r = arith.mulf %s, %b{0} : f32",
        "%r = arith.mulf %x, %c : f32",
        1.1234567 * 7.654321,
    ),
    "a sum": (
        "reassoc",
        "%s = arith.addf %x, %a{0} : f32\n%r = arith.addf %s, %b{0} : f32",
        "%r = arith.addf %x, %c : f32",
        1.1234567 + 7.654321,
    ),
    "a logarithm of another base": (
        "afn",
        "%r = math.exp %x{0} : f32",
        "%s = arith.mulf %x, %c : f32\n%r = math.exp2 %s : f32",
        1.44269504,
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_literals_that_flags_let_a_pass_fold_are_rounded(name: str) -> None:
    """Over the reals the two differ, and what the target computes is one of the values that the flags allow."""
    flag, source, target, folded = FOLDED[name]
    for value, refuted in ((folded, False), (1.25 * folded, True)):
        literals = {"a": 1.1234567, "b": 7.654321, "c": value}
        constants = "".join(f"%{k} = arith.constant {x:.9g} : f32\n" for k, x in literals.items())
        found = verdict(constants + source, constants + target, (flag,))
        assert (found == "not-equivalent") is refuted and found not in ("equivalent", "refines")


# Minima and maxima of numbers


def chosen(predicate: str, first: str = "%x, %y", then: str = "%x, %y", flags: str = "") -> str:
    return f"%c = arith.cmpf {predicate}, {first}{flags} : f32\n%r = arith.select %c, {then} : f32"


MAXIMUM, MAXNUM = "%r = arith.maximumf %x, %y{0} : f32", "%r = arith.maxnumf %x, %y{0} : f32"
MINIMUM, MINNUM = "%r = arith.minimumf %x, %y{0} : f32", "%r = arith.minnumf %x, %y{0} : f32"
NUMBERS = ("nnan", "nsz")
GREATER = (
    *(chosen(p) for p in ("ogt", "oge", "ugt", "uge")),
    *(chosen(p, then="%y, %x") for p in ("olt", "ole", "ult", "ule")),
    chosen("ogt", flags="{0}"),
)
LESSER = (*(chosen(p) for p in ("olt", "ult", "ole")), chosen("ogt", then="%y, %x"), chosen("oge", "%y, %x"))


@pytest.mark.one_in(18)
@pytest.mark.parametrize(
    ("source", "targets"),
    [
        (MAXIMUM, (MAXNUM, *GREATER)),
        (MAXNUM, (MAXIMUM, MAXIMUM.replace("{0}", ""), *GREATER)),
        (MINIMUM, (MINNUM, *LESSER)),
        (MINNUM, (MINIMUM, *LESSER)),
    ],
)
def test_an_extremum_of_numbers(source: str, targets: tuple[str, ...]) -> None:
    for target in targets:
        assert verdict(source, target, NUMBERS) == "refines", target
        assert verdict(source, target, ("nnan", "ninf", "nsz", "contract")) == "refines", target


@pytest.mark.one_in(14)
@pytest.mark.parametrize("flags", [(), ("nnan",), ("nsz",), ("ninf", "reassoc", "arcp", "contract", "afn")])
def test_an_extremum_needs_both_flags(flags: tuple[str, ...]) -> None:
    for source, targets in ((MAXIMUM, (MAXNUM, *GREATER)), (MINIMUM, (MINNUM, *LESSER))):
        for target in targets:
            assert verdict(source, target, flags) not in ("equivalent", "refines"), target


@pytest.mark.one_in(8)
def test_an_extremum_that_is_another() -> None:
    flags = " fastmath<nnan,nsz>"
    for source, wrong in ((MAXIMUM, LESSER), (MAXNUM, (MINIMUM, *LESSER)), (MINIMUM, GREATER), (MINNUM, GREATER)):
        for target in wrong:
            assert verdict(source, target, NUMBERS) == "not-equivalent", target
    # The target's flags are its own.
    for target in (MAXNUM, chosen("ogt", flags="{0}")):
        assert verdict(MAXIMUM.replace("{0}", flags), target, ("nnan", "ninf")) not in ("equivalent", "refines")
        assert verdict(MAXIMUM.replace("{0}", ""), target, NUMBERS) not in ("equivalent", "refines")
    for target in GREATER:
        assert verdict(target.replace("{0}", ""), MAXIMUM.replace("{0}", flags), ()) not in ("equivalent", "refines")


@pytest.mark.one_in(2)
def test_an_extremum_within_a_term() -> None:
    """What is added up is no extremum, and has to be the same."""
    source = "%m = arith.maximumf %x, %zero{0} : f32\n%r = arith.addf %m, %y : f32"
    target = "%c = arith.cmpf ogt, %x, %zero : f32\n%m = arith.select %c, %x, %zero : f32\n%r = arith.addf %m, {} : f32"
    assert verdict(source, target.replace("{}", "%y"), NUMBERS) == "refines"
    assert verdict(source, target.replace("{}", "%z"), NUMBERS) == "not-equivalent"
    assert verdict(source, target.replace("{}", "%y").replace("ogt", "olt"), NUMBERS) == "not-equivalent"


POOL, F32 = TermPool(), FloatType("f32")
LEFT, RIGHT = (POOL.make("leaf", (), F32, (("number", k),)) for k in range(2))
VALUES = (0.0, -0.0, 1.0, -1.0, 1e-45, float("inf"), float("-inf"), float("nan"))


@pytest.mark.parametrize("flags", ["nnan,nsz", "nnan,ninf,nsz"])
@pytest.mark.parametrize("op", ["maximumf", "maxnumf", "minimumf", "minnumf"])
def test_what_extrema_are_read_as(op: str, flags: str) -> None:
    """Each reading is poison only where the op is, and else the extremum, of two zeros either."""
    source = POOL.make(f"arith.{op}", (LEFT, RIGHT), F32, (("fastmath", flags),))
    bit = POOL.make("arith.cmpf", (LEFT, RIGHT), BOOL, (("predicate", "oeq"),))
    wanted = POOL.make("arith.select", (bit, source, POOL.make("arith.maximumf", (LEFT, RIGHT), F32)), F32)
    found = [term for _, term in extrema(POOL, source, wanted)]
    assert len(found) == 4
    evaluate = Evaluator(64)
    for x, y, reading in product(VALUES, VALUES, found):
        values: dict[int, Scalar | None] = {LEFT.id: x, RIGHT.id: y}
        for term in postorder((reading,)):
            if term.args:
                values[term.id] = evaluate(term, tuple([v for a in term.args if (v := values[a.id]) is not None]))
        value = values[reading.id]
        if isnan(x) or isnan(y) or ("ninf" in flags and (isinf(x) or isinf(y))):
            continue
        assert value == (max if op.startswith("max") else min)(x, y), (x, y, reading)
