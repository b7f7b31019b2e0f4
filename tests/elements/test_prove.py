"""Pairs of known sizes over the reals: decided element by element."""

from __future__ import annotations

import math

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.elements.element_outcome import SMALL, Budget, Open, Same
from hecv.elements.element_prover import prove
from hecv.mlir.importer import parse, read_alone, read_pair
from hecv.prove import elementwise_reals
from hecv.prove.dataflow import array_dataflow


def _report(source: str, target: str) -> FunctionReport:
    options = Options(switches=Switches(floats="real"), relation="equivalent")
    report = check(source, target, ("source.mlir", "target.mlir"), options)
    assert report.functions, report.diagnostics
    return report.functions[0]


def scalar(body: str, arguments: str = "%x: f32, %y: f32") -> str:
    """A function of scalars that returns `%r`."""
    constants = "".join(
        f"  %{name} = arith.constant {value} : f32\n"
        for name, value in {"zero": "0.0", "one": "1.0", "two": "2.0", "eps": "1.0e-5", "inf": "0xFF800000"}.items()
    )
    return f"func.func @f({arguments}) -> f32 {{\n{constants}{body}\n  return %r : f32\n}}"


def op_lines(*lines: str) -> str:
    """Lines `r = op a b` as ops on f32."""
    out: list[str] = []
    for line in lines:
        result, op, *args = line.replace(" = ", " ").split()
        names = ", ".join(f"%{a}" for a in args)
        if op.startswith("cmp."):
            out.append(f"  %{result} = arith.cmpf {op[4:]}, {names} : f32")
        elif op == "select":
            out.append(f"  %{result} = arith.select {names} : f32")
        else:
            out.append(f"  %{result} = {op} {names} : f32")
    return "\n".join(out)


SOFTMAX = ("e = math.exp x", "g = math.exp y", "s = arith.addf e g", "r = arith.divf e s")
SHIFTED = (
    "m = arith.maximumf x y",
    "a = arith.subf x m",
    "b = arith.subf y m",
    "e = math.exp a",
    "g = math.exp b",
    "s = arith.addf e g",
    "r = arith.divf e s",
)
NORM = ("q = arith.mulf x x", "v = arith.addf q eps")

EQUIVALENT = {
    "softmax": (SOFTMAX, SHIFTED),
    "sigmoid": (
        ("n = arith.negf x", "e = math.exp n", "s = arith.addf e one", "r = arith.divf one s"),
        ("e = math.exp x", "s = arith.addf e one", "r = arith.divf e s"),
    ),
    "tanh": (
        ("r = math.tanh x",),
        (
            "d = arith.mulf x two",
            "e = math.exp d",
            "a = arith.subf e one",
            "b = arith.addf e one",
            "r = arith.divf a b",
        ),
    ),
    "rsqrt": ((*NORM, "i = math.rsqrt v", "r = arith.mulf x i"), (*NORM, "w = math.sqrt v", "r = arith.divf x w")),
    "relu": (("r = arith.maximumf x zero",), ("c = cmp.ogt x zero", "r = select c x zero")),
    "relu-not-strict": (("r = arith.maximumf x zero",), ("c = cmp.oge x zero", "r = select c x zero")),
    "minimum": (("r = arith.minimumf x y",), ("c = cmp.olt x y", "r = select c x y")),
    "magnitude": (("r = math.absf x",), ("n = arith.negf x", "r = arith.maximumf x n")),
    "logarithm": (("e = math.exp x", "d = arith.mulf e e", "r = math.log d"), ("r = arith.addf x x",)),
    "mask": (("m = arith.addf y inf", "e = math.exp m", "r = arith.addf e x"), ("r = arith.addf x zero",)),
    "odd": (("n = arith.negf x", "r = math.erf n"), ("e = math.erf x", "r = arith.negf e")),
    "same-divisor": (("r = arith.divf x y",), ("i = arith.divf one y", "r = arith.mulf x i")),
}
DIFFERENT = {
    "softmax-not-normalised": (SOFTMAX, (*SOFTMAX[:1], "r = arith.addf e zero")),
    "eps-outside": (
        (*NORM, "w = math.sqrt v", "r = arith.divf x w"),
        ("q = arith.mulf x x", "w = math.sqrt q", "v = arith.addf w eps", "r = arith.divf x v"),
    ),
    "relu-of-the-other": (("r = arith.maximumf x zero",), ("c = cmp.olt x zero", "r = select c x zero")),
    "even": (("n = arith.negf x", "r = math.erf n"), ("r = math.erf x",)),
    "sign": (("e = math.exp x", "r = arith.addf e y"), ("n = arith.negf x", "e = math.exp n", "r = arith.addf e y")),
}


@pytest.mark.parametrize("name", EQUIVALENT)
def test_equal_over_the_reals(name: str) -> None:
    source, target = (scalar(op_lines(*lines)) for lines in EQUIVALENT[name])
    report = _report(source, target)
    assert (report.verdict, report.engine) == ("equivalent", "elements")


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_over_the_reals(name: str) -> None:
    source, target = (scalar(op_lines(*lines)) for lines in DIFFERENT[name])
    report = _report(source, target)
    assert report.verdict == "not-equivalent"
    assert report.counterexample is not None
    assert report.counterexample.engines == ("interpreter", "jit")


PARTIAL = {
    "divided-and-multiplied": (("r = arith.addf x zero",), ("q = arith.divf x y", "r = arith.mulf q y")),
    "root-squared": (("r = arith.addf x zero",), ("w = math.sqrt x", "r = arith.mulf w w")),
    "exponential-of-logarithm": (("r = arith.addf x zero",), ("w = math.log x", "r = math.exp w")),
    # A quotient is 0 where its dividend is: that the divisor is positive says nothing of it.
    "quotient-that-may-be-0": (
        ("w = math.sqrt x", "e = math.exp w", "r = arith.divf x e"),
        ("w = math.sqrt x", "l = math.log x", "d = arith.subf l w", "r = math.exp d"),
    ),
    # A power has the sign of its base, whatever that of its exponent.
    "odd-power": (
        ("t = arith.addf one two", "r = math.powf x t"),
        ("t = arith.addf one two", "p = math.powf x t", "w = math.sqrt p", "r = arith.mulf w w"),
    ),
    "nothing-times-inverse": (("r = arith.addf x zero",), ("i = arith.divf zero y", "r = arith.addf x i")),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PARTIAL)
def test_a_target_without_a_value_is_not_shown_equal(name: str) -> None:
    source, target = (scalar(op_lines(*lines)) for lines in PARTIAL[name])
    assert _report(source, target).verdict in ("unknown", "not-equivalent")
    assert _report(target, source).verdict == "refines"


def test_what_has_no_value_anywhere_is_not_shown_equal() -> None:
    """`1 / sqrt(x - x)` is no number: neither is a proof of it, however it is written."""
    zero = "d = arith.subf x x"
    source = (zero, "w = arith.divf one d", "r = math.sqrt w")
    target = (zero, "w = math.sqrt d", "r = arith.divf one w")
    assert _report(scalar(op_lines(*source)), scalar(op_lines(*target))).verdict == "unknown"


def test_an_exponent_is_signed() -> None:
    """An exponent of -2 in four bits is not 14."""
    power = (
        "func.func @f(%x: f32) -> f32 { %e = arith.constant -2 : i4 %r = math.fpowi %x, %e : f32, i4 return %r : f32 }"
    )
    squared = ("s = arith.mulf x x", "r = arith.divf one s")
    assert _report(power, scalar(op_lines(*squared), "%x: f32")).verdict == "equivalent"
    fourteen = (
        "s = arith.mulf x x",
        "p = arith.mulf s s",
        "q = arith.mulf p p",
        "t = arith.mulf q p",
        "r = arith.mulf t s",
    )
    assert _report(power, scalar(op_lines(*fourteen), "%x: f32")).verdict == "not-equivalent"


def test_a_branch_that_is_not_taken_gives_nothing() -> None:
    """The source divides by `y` only where it is not 0: the target may not."""
    guarded = ("c = cmp.oeq y zero", "q = arith.divf x y", "p = arith.mulf q y", "r = select c x p")
    always = ("q = arith.divf x y", "r = arith.mulf q y")
    source, target = scalar(op_lines(*guarded)), scalar(op_lines(*always))
    assert _report(source, target).verdict in ("unknown", "not-equivalent")


BITS = "%b: i1, %d: i1, %e: i1, %x: f32, %y: f32"
BIT = "  %t = arith.constant true\n  %n = arith.xori %b, %t : i1\n  %u = arith.uitofp %b : i1 to f32\n"
ALL = """
  %bd = arith.ori %b, %d : i1
  %or = arith.ori %bd, %e : i1
  %g = arith.uitofp %or : i1 to f32
"""
NOT_TAKEN = {
    # As a sum of products this is `b * (1 / b)`.
    "bit-by-itself": (
        BIT + op_lines("q = arith.divf x u") + "\n  %r = arith.select %b, %q, %zero : f32",
        op_lines("r = arith.addf x zero"),
    ),
    # Multiplied by `1 - b`, which divides in the other branch, `b * x` is gone.
    "multiplied-out": (
        BIT
        + op_lines("s = arith.subf one u", "q = arith.divf one s")
        + "\n  %v = arith.select %n, %q, %zero : f32\n"
        + op_lines("m = arith.mulf u x", "r = arith.addf v m"),
        BIT + "  %r = arith.uitofp %n : i1 to f32",
    ),
    # `b | d | e` has seven monomials: of a product with eight it is one factor, as what divides.
    "closed": (
        ALL
        + op_lines("v2 = arith.mulf x x", "v3 = arith.mulf v2 x", "v4 = arith.mulf v2 v2", "w2 = arith.mulf y y")
        + "\n"
        + op_lines("a1 = arith.addf x v2", "a2 = arith.addf a1 v3", "a3 = arith.addf a2 v4", "a4 = arith.addf a3 y")
        + "\n"
        + op_lines("a5 = arith.addf a4 w2", "k = arith.mulf x y", "a6 = arith.addf a5 k", "a7 = arith.addf a6 one")
        + "\n"
        + op_lines("q = arith.divf a7 g")
        + "\n  %r = arith.select %or, %q, %zero : f32",
        op_lines("v2 = arith.mulf x x", "v3 = arith.mulf v2 x", "v4 = arith.mulf v2 v2", "w2 = arith.mulf y y")
        + "\n"
        + op_lines("a1 = arith.addf x v2", "a2 = arith.addf a1 v3", "a3 = arith.addf a2 v4", "a4 = arith.addf a3 y")
        + "\n"
        + op_lines("a5 = arith.addf a4 w2", "k = arith.mulf x y", "a6 = arith.addf a5 k", "r = arith.addf a6 one"),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NOT_TAKEN)
def test_what_is_not_taken_shows_nothing(name: str) -> None:
    """Where `b` is such that the source does not divide, the target differs."""
    source, target = (scalar(body, BITS) for body in NOT_TAKEN[name])
    assert _report(source, target).verdict in ("unknown", "not-equivalent")


def test_literals_stand_for_what_they_round() -> None:
    wide = """func.func @f(%x: f64) -> f64 {
      %c = arith.constant 0.70710678118654757 : f64
      %a = arith.mulf %x, %c : f64
      %r = arith.mulf %a, %c : f64
      return %r : f64 }"""
    half = """func.func @f(%x: f64) -> f64 {
      %c = arith.constant 0.5 : f64
      %r = arith.mulf %x, %c : f64
      return %r : f64 }"""
    report = _report(wide, half)
    assert report.verdict == "equivalent"
    assert any(a.id == "literals-rounded" and "sqrt(1/2)" in a.text for a in report.assumptions)
    assert _report(wide, half.replace("0.5", "0.5001")).verdict == "not-equivalent"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["log2", "log10"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_a_logarithm_to_another_base(name: str, kind: str) -> None:
    """Passes scale by the logarithm of the base, and by one over it; what is near it is another number."""
    number = math.log(int(name.removeprefix("log")))
    one, other = (
        SCALED.replace("LITERAL", f"{1 / number:.17e}").replace(
            "%r = arith.mulf %x", "%l = math.log %x : TYPE\n  %r = arith.mulf %l"
        ),
        SCALED.replace("LITERAL", f"{number:.17e}").replace(
            "%r = arith.mulf %x", "%l = math.log %x : TYPE\n  %r = arith.divf %l"
        ),
    )
    plain = f"func.func @f(%x: {kind}) -> {kind} {{\n  %r = math.{name} %x : {kind}\n  return %r : {kind} }}"
    for text in (one, other):
        assert _report(plain, text.replace("TYPE", kind)).verdict == "equivalent"
    wrong = SCALED.replace("LITERAL", f"{1.0001 / number:.17e}").replace(
        "%r = arith.mulf %x", "%l = math.log %x : TYPE\n  %r = arith.mulf %l"
    )
    assert _report(plain, wrong.replace("TYPE", kind)).verdict == "not-equivalent"


def test_a_power_of_two_is_an_exponential() -> None:
    """What `math-expand-ops` makes of `math.exp2`, and what kernels make of `math.exp`."""
    power = "func.func @f(%x: f32) -> f32 {\n  %r = math.exp2 %x : f32\n  return %r : f32 }"
    scaled = """func.func @f(%x: f32) -> f32 {
      %c = arith.constant 0.693147182 : f32
      %e = arith.mulf %x, %c : f32
      %r = math.exp %e : f32
      return %r : f32 }"""
    assert _report(power, scaled).verdict == "equivalent"
    assert _report(power, scaled.replace("0.693147182", "0.69315")).verdict == "not-equivalent"


SCALED = """func.func @f(%x: TYPE) -> TYPE {
  %c = arith.constant LITERAL : TYPE
  %r = arith.mulf %x, %c : TYPE
  return %r : TYPE }"""


LITERALS = [
    ("bf16", "0.333984375", "0.33203125"),
    ("f16", "0.333251953125", "0.33349609375"),
    ("f32", "0.333333343", "0.333333313"),
    ("bf16", "1.0", "1.0078125"),
    ("bf16", "5.0", "5.03125"),
    ("f32", "5.0e-1", "0.50000006"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "one", "other"), LITERALS)
def test_two_literals_do_not_stand_for_one_number(
    kind: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that are near one number one was not meant to be it, and what the format has needs no other."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    texts = [SCALED.replace("TYPE", kind).replace("LITERAL", literal) for literal in (one, other)]
    assert _report(*texts).verdict in ("not-equivalent", "unknown")


def test_what_is_a_part_of_a_sum_on_one_side_only() -> None:
    """Of the sums that both sides have, each reads others as parts of one sum."""
    arguments = "%d: f32, %e: f32, %c: f32"
    sums = ("b = arith.addf d e", "a = arith.addf b c")

    def text(*lines: str) -> str:
        body = op_lines(*sums, *lines)
        return (
            scalar(body, arguments)
            .replace("-> f32", "-> (f32, f32)")
            .replace("return %r : f32", "return %r, %s : f32, f32")
        )

    source = text("r = arith.mulf a one", "p = arith.mulf d two", "q = arith.mulf e two", "s = arith.addf p q")
    target = text("r = arith.addf a zero", "s = arith.mulf b two")
    for one, other in ((source, target), (target, source)):
        pool = TermPool()
        both = read_pair((parse(one, "s.mlir"), parse(other, "t.mlir")), ("f", "f"), pool)
        assert isinstance(prove(pool, both, 64, SMALL), Same)


WIDENED = """func.func @f(%x: i32, %b: i1) -> f32 {
  %two = arith.constant 2.0 : f32
  LINES
  return %r : f32 }"""
FLAGGED = {
    "a-cast": ("%u = arith.uitofp %x : i32 to f32", "%u = arith.uitofp %x nneg : i32 to f32"),
    "an-extension": (
        "%w = arith.extui %b : i1 to i8\n  %u = arith.uitofp %w : i8 to f32",
        "%w = arith.extui %b nneg : i1 to i8\n  %u = arith.uitofp %w : i8 to f32",
    ),
}


def flagged(name: str) -> tuple[str, str]:
    """Twice a number, and the same by an operator that may be poison."""
    plain, poison = FLAGGED[name]
    return (
        WIDENED.replace("LINES", f"{plain}\n  %r = arith.addf %u, %u : f32"),
        WIDENED.replace("LINES", f"{poison}\n  %r = arith.mulf %u, %two : f32"),
    )


@pytest.mark.parametrize("name", FLAGGED)
def test_a_flag_that_makes_poison_is_read(name: str) -> None:
    pool, (source, target) = TermPool(), flagged(name)
    both = read_pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), pool)
    assert isinstance(prove(pool, both, 64, SMALL), Open)
    assert isinstance(prove(pool, (both[0], both[0]), 64, SMALL), Same)


def test_a_difference_between_a_literal_and_its_number_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes a literal as it is; what it stands for, in whatever format, tells nothing apart."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    narrow, wide = (
        f"func.func @f(%x: f64) -> f64 {{\n{lines}\n%r = arith.addf %c, %x : f64\nreturn %r : f64\n}}"
        for lines in (
            "%b = arith.constant 0.1 : f32\n%c = arith.extf %b : f32 to f64",
            "%c = arith.constant 0.1 : f64",
        )
    )
    assert _report(narrow, wide).verdict == "equivalent"
    assert _report(narrow, wide.replace("0.1", "0.1001")).verdict == "not-equivalent"


MATMUL = """
func.func @f(%A: memref<2x3xf32>, %B: memref<3x2xf32>, %C: memref<2x2xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      affine.store %z, %C[%i, %j] : memref<2x2xf32>
      affine.for %k = 0 to 3 {
        %a = affine.load %A[%i, %k] : memref<2x3xf32>
        %b = affine.load %B[%k, %j] : memref<3x2xf32>
        %p = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<2x2xf32>
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<2x2xf32>
      }
    }
  }
  return
}"""


def test_loops_over_memory() -> None:
    reversed_ = MATMUL.replace("%A[%i, %k]", "%A[%i, 2 - %k]").replace("%B[%k, %j]", "%B[2 - %k, %j]")
    report = _report(MATMUL, reversed_)
    assert (report.verdict, report.engine) == ("equivalent", "elements")
    wrong = MATMUL.replace("%A[%i, %k]", "%A[%i, 2 - %k]")
    assert _report(MATMUL, wrong).verdict == "not-equivalent"


def test_a_race_is_not_unfolded_away() -> None:
    race = MATMUL.replace("affine.for %k", "affine.parallel (%k)").replace("= 0 to 3", "= (0) to (3)")
    report = _report(MATMUL, race)
    assert report.verdict == "not-equivalent"
    assert report.counterexample is not None and report.counterexample.kind == "race"


def test_an_element_that_only_one_side_writes() -> None:
    kept = "func.func @f(%A: memref<2xf32>) { return }"
    stored = """func.func @f(%A: memref<2xf32>) {
      %v = affine.load %A[%k] : memref<2xf32>
      affine.store %v, %A[1] : memref<2xf32>
      return }"""
    assert _report(kept, stored.replace("%k", "1")).verdict == "equivalent"
    assert _report(kept, stored.replace("%k", "0")).verdict == "not-equivalent"


ASSERTING = """
func.func @f(%x: f32) -> f32 {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.cmpf {predicate}, %x, %zero : f32
  cf.assert %c, "no"
  %r = arith.divf %one, %x : f32
  return %r : f32
}}"""


def test_assertions_are_given_and_asked() -> None:
    plain = scalar("  %r = arith.divf %one, %x : f32", "%x: f32")
    unequal, positive = (ASSERTING.format(predicate=p) for p in ("one", "ogt"))
    assert _report(unequal, plain).verdict == "equivalent"
    assert _report(positive, unequal).verdict == "refines"
    assert _report(unequal, positive).verdict in ("unknown", "not-equivalent")
    total = "func.func @f(%x: f32) -> f32 { %r = arith.negf %x : f32\n return %r : f32 }"
    asserted = total.replace(
        "%r =", '%z = arith.constant 0.0 : f32 %c = arith.cmpf one, %x, %z : f32 cf.assert %c, "n" %r ='
    )
    assert _report(asserted, total).verdict == "refines"
    assert _report(total, asserted).verdict in ("unknown", "not-equivalent")


NEAREST = """
func.func @f(%A: memref<2xf32>, %B: memref<4xf32>) {{
  %by = arith.constant {by} : f32
  affine.for %i = 0 to 4 {{
    %n = arith.index_cast %i : index to i64
    %x = arith.sitofp %n : i64 to f32
    %q = arith.divf %x, %by : f32
    %w = math.floor %q : f32
    %k = arith.fptosi %w : f32 to i64
    %j = arith.index_cast %k : i64 to index
    %v = memref.load %A[%j] : memref<2xf32>
    affine.store %v, %B[%i] : memref<4xf32>
  }}
  return
}}"""


def test_a_subscript_that_is_computed_as_a_float() -> None:
    repeated = """func.func @f(%A: memref<2xf32>, %B: memref<4xf32>) {
      affine.for %i = 0 to 4 {
        %v = affine.load %A[%i floordiv 2] : memref<2xf32>
        affine.store %v, %B[%i] : memref<4xf32>
      }
      return }"""
    report = _report(NEAREST.format(by="2.0"), repeated)
    assert (report.verdict, report.engine) == ("equivalent", "elements")
    assert _report(NEAREST.format(by="2.0"), repeated.replace("floordiv", "mod")).verdict == "not-equivalent"


MASKED = """
func.func @f(%c: i1, %x: f32, %y: f32) -> f32 {{
  %inf = arith.constant 0xFF800000 : f32
  {masked}
  %e = math.exp %m : f32
  %g = math.exp %y : f32
  %s = arith.addf %e, %g : f32
  %r = arith.divf %g, %s : f32
  return %r : f32
}}"""


def test_a_mask_that_is_an_input() -> None:
    source = MASKED.format(masked="%m = arith.select %c, %x, %inf : f32")
    flipped = "%t = arith.constant true %d = arith.xori %c, %t : i1 %m = arith.select %d, %inf, %x : f32"
    report = _report(source, MASKED.format(masked=flipped))
    assert (report.verdict, report.engine) == ("equivalent", "elements")
    wrong = MASKED.format(masked="%m = arith.select %c, %inf, %x : f32")
    assert _report(source, wrong).verdict == "not-equivalent"


TENTHS = {"0.10009765625": "equivalent", "0.1005859375": "unknown", "0.1015625": "not-equivalent"}
"""Literals of bf16: what a tenth is rounded to, that and one unit, which roundings may make of a tenth, and more."""


@pytest.mark.parametrize("factor", TENTHS)
def test_a_literal_of_few_digits_is_the_number_that_rounds_to_it(factor: str) -> None:
    source, target = (
        f"func.func @f(%x: bf16) -> bf16 {{\n  %c = arith.constant {literal} : bf16\n"
        f"  %r = arith.{op} %x, %c : bf16\n  return %r : bf16\n}}"
        for literal, op in ((factor, "mulf"), ("10.0", "divf"))
    )
    assert _report(source, target).verdict == TENTHS[factor]


def test_copies_of_what_was_never_written() -> None:
    """An output that all elements are written of begins as a copy of nothing."""
    body = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %A = memref.alloc() : memref<2xf32>
      %B = memref.alloc() : memref<2xf32>
      memref.copy %A, %B : memref<2xf32> to memref<2xf32>
      memref.store %x, %B[%c0] : memref<2xf32>
      {second}
      %a = memref.load %B[%c0] : memref<2xf32>
      %b = memref.load %B[%c1] : memref<2xf32>
      %r = arith.{op} %{first}, %b : f32"""
    written = "memref.store %y, %B[%c1] : memref<2xf32>"
    source = scalar("%r = arith.addf %x, %y : f32")
    report = _report(source, scalar(body.format(second=written, op="addf", first="a")))
    assert (report.verdict, report.engine) == ("equivalent", "elements")
    assert _report(source, scalar(body.format(second=written, op="subf", first="a"))).verdict == "not-equivalent"
    assert _report(source, scalar(body.format(second="", op="addf", first="a"))).verdict == "not-equivalent"
    undone = "memref.store %y, %B[%c1] : memref<2xf32> memref.copy %A, %B : memref<2xf32> to memref<2xf32>"
    assert _report(source, scalar(body.format(second=undone, op="addf", first="a"))).verdict == "not-equivalent"


def test_an_input_that_nothing_is_copied_to() -> None:
    copied = """func.func @f(%A: memref<2xf32>) {
      %B = memref.alloc() : memref<2xf32>
      memref.copy %B, %A : memref<2xf32> to memref<2xf32>
      return
    }"""
    left = "func.func @f(%A: memref<2xf32>) { return }"
    assert _report(left, copied).verdict == "not-equivalent"
    assert _report(copied, left).verdict != "equivalent"


CHAIN = """func.func @f(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {{
  affine.for %i = 0 to 16 {{
    %a = affine.load %A[%i] : memref<16xf32>
    %b = affine.load %B[%i] : memref<16xf32>
    {body}
    affine.store %r, %C[%i] : memref<16xf32>
  }}
  return
}}"""
SQUARED = "%s = arith.addf %a, %b : f32 %r = arith.mulf %s, %s : f32"
WRITTEN_OUT = """%p = arith.mulf %a, %a : f32 %q = arith.mulf %a, %b : f32 %t = arith.addf %q, %q : f32
    %u = arith.mulf %b, %b : f32 %v = arith.addf %p, %t : f32 %r = arith.addf %v, %u : f32"""


def test_a_budget_that_is_too_small() -> None:
    pool = TermPool()
    texts = CHAIN.format(body=SQUARED), CHAIN.format(body=WRITTEN_OUT)
    first, second = (read_alone(parse(text, f"{k}.mlir"), "f", pool) for k, text in enumerate(texts))
    for budget in (Budget(100, 1_000_000), Budget(400_000, 20)):
        found = prove(pool, (first, second), 64, budget)
        assert isinstance(found, Open) and found.long
    assert isinstance(prove(pool, (first, second), 64, SMALL), Same)


def test_what_takes_longer_than_the_first_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise_reals, "SMALL", Budget(100, 100))
    monkeypatch.setattr(array_dataflow, "attempt", lambda *_: None)
    report = _report(CHAIN.format(body=SQUARED), CHAIN.format(body=WRITTEN_OUT))
    assert (report.verdict, report.engine) == ("equivalent", "elements")
    wrong = WRITTEN_OUT.replace("%q, %q", "%q, %p")
    assert _report(CHAIN.format(body=SQUARED), CHAIN.format(body=wrong)).verdict == "not-equivalent"
