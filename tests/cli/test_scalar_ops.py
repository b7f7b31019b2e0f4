"""Verdicts on scalar code: math, index, poison, fast-math flags, and what shows which NaN a float is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .programs import returns

Ask = Callable[..., dict[str, Any]]

TWO = "%x: f32, %y: f32"


def only(report: dict[str, Any]) -> dict[str, Any]:
    (function,) = report["functions"]
    return function


def decided(verdict: Ask, source: str, target: str) -> tuple[str, str | None]:
    """The verdict and the kind of the counterexample, where there is one."""
    function = only(verdict(source, target))
    found = function["counterexample"]
    return function["verdict"], found and found["kind"]


def binary(op: str, flags: str = "") -> str:
    return returns(f"%r = {op} %x, %y {flags} : f32", "%r : f32", TWO)


def unary(op: str, kind: str = "f32") -> str:
    return returns(f"%r = {op} %x : {kind}", f"%r : {kind}", f"%x: {kind}")


# Functions of the library


@pytest.mark.one_in(2)
@pytest.mark.parametrize("op", ("math.exp", "math.tanh", "math.rsqrt", "math.sqrt", "math.floor", "math.erf"))
def test_a_function_is_equal_to_itself_alone(verdict: Ask, op: str) -> None:
    assert decided(verdict, unary(op), unary(op)) == ("equivalent", None)
    function = only(verdict(unary(op), unary("math.cos")))
    assert function["verdict"] == "not-equivalent"
    assert function["counterexample"]["engines"] == ["interpreter", "jit"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ("f16", "f64"))
@pytest.mark.parametrize("pair", (("math.exp", "math.expm1"), ("math.log", "math.log1p"), ("math.sin", "math.cbrt")))
def test_the_jit_confirms_differences_of_functions(verdict: Ask, pair: tuple[str, str], kind: str) -> None:
    assert decided(verdict, unary(pair[0], kind), unary(pair[1], kind)) == ("not-equivalent", "value")


def test_sincos_is_sine_and_cosine(verdict: Ask) -> None:
    both = "func.func @f(%x: f32) -> (f32, f32) {{\n{}\nreturn %s, %c : f32, f32\n}}"
    one = both.format("%s, %c = math.sincos %x : f32")
    two = both.format("%c = math.cos %x : f32\n%s = math.sin %x : f32")
    assert decided(verdict, one, two) == ("equivalent", None)
    swapped = both.format("%s = math.cos %x : f32\n%c = math.sin %x : f32")
    assert decided(verdict, one, swapped) == ("not-equivalent", "value")


def test_fused_multiplication_rounds_once(verdict: Ask) -> None:
    apart = returns("%p = arith.mulf %x, %x : f32\n%r = arith.addf %p, %x : f32", "%r : f32")
    together = returns("%r = math.fma %x, %x, %x : f32", "%r : f32")
    assert decided(verdict, apart, together) == ("not-equivalent", "value")


@pytest.mark.parametrize("pair", (("ctlz", "cttz"), ("ctpop", "absi")))
def test_integer_functions(verdict: Ask, pair: tuple[str, str]) -> None:
    first, second = (unary(f"math.{op}", "i16") for op in pair)
    assert decided(verdict, first, first) == ("equivalent", None)
    assert decided(verdict, first, second) == ("not-equivalent", "value")


def test_a_power_may_be_undefined(verdict: Ask) -> None:
    power = returns("%r = math.ipowi %x, %y : i8", "%r : i8", "%x: i8, %y: i8")
    one = returns("%r = arith.constant 1 : i8", "%r : i8", "%x: i8, %y: i8")
    assert decided(verdict, power, power) == ("equivalent", None)
    zero = returns(
        "%z = arith.constant 0 : i8\n%p = math.ipowi %z, %x : i8\n%r = arith.constant 1 : i8",
        "%r : i8",
        "%x: i8, %y: i8",
    )
    assert decided(verdict, one, zero) == ("not-equivalent", "undefined-behavior")


# Fast-math flags


def test_flags_may_be_dropped(verdict: Ask) -> None:
    for flag in ("nnan", "reassoc", "fast"):
        flagged, plain = binary("arith.addf", f"fastmath<{flag}>"), binary("arith.addf")
        assert decided(verdict, flagged, flagged) == ("equivalent", None)
        assert decided(verdict, flagged, plain) == ("refines", None)


def test_flags_may_not_be_added(verdict: Ask) -> None:
    plain = binary("arith.addf")
    assert decided(verdict, plain, binary("arith.addf", "fastmath<nnan>")) == ("not-equivalent", "poison")
    assert decided(verdict, plain, binary("arith.addf", "fastmath<reassoc>")) == ("unknown", None)


def test_what_a_flag_licenses_is_not_refuted(verdict: Ask) -> None:
    """(x + y) - x is y over the reals: a compiler may say so under `reassoc`, and a run shows that it is not."""
    sums = "%s = arith.addf %x, %y {0} : f32\n%r = arith.subf %s, %x {0} : f32"
    target = returns("", "%y : f32", TWO)
    assert decided(verdict, returns(sums.format(""), "%r : f32", TWO), target) == ("not-equivalent", "value")
    for flags in ("reassoc", "reassoc,nsz"):
        licensed = returns(sums.format(f"fastmath<{flags}>"), "%r : f32", TWO)
        assert only(verdict(licensed, target))["verdict"] == "unknown"


def test_a_licence_of_the_target_alone_is_no_excuse(verdict: Ask) -> None:
    """The target may also compute what it says, and then it is wrong."""
    target = binary("arith.mulf", "fastmath<reassoc>")
    assert decided(verdict, binary("arith.addf"), target) == ("not-equivalent", "value")


# Poison


def test_anything_refines_poison(verdict: Ask) -> None:
    poison = returns("%r = ub.poison : f32", "%r : f32")
    assert decided(verdict, poison, poison) == ("equivalent", None)
    assert decided(verdict, poison, unary("math.sqrt")) == ("refines", None)
    assert decided(verdict, unary("math.sqrt"), poison) == ("not-equivalent", "poison")


def test_poison_in_a_selection(verdict: Ask) -> None:
    """Only where it is chosen."""
    selection = "%p = ub.poison : f32\n%r = arith.select %c, %x, %p : f32"
    arguments = "%c: i1, %x: f32"
    source, target = returns(selection, "%r : f32", arguments), returns("", "%x : f32", arguments)
    assert decided(verdict, source, target) == ("refines", None)
    assert decided(verdict, target, source) == ("not-equivalent", "poison")


# Which NaN it is


def bits_of(op: str, operands: str) -> str:
    ops = f"%s = {op} {operands} : f32\n%r = arith.bitcast %s : f32 to i32"
    return returns(ops, "%r : i32", TWO)


def test_bits_are_equal_where_floats_are_to_the_bit(verdict: Ask) -> None:
    source = bits_of("arith.addf", "%x, %y")
    assert decided(verdict, source, source) == ("equivalent", None)
    assert decided(verdict, source, bits_of("arith.subf", "%x, %y")) == ("not-equivalent", "value")


def test_an_equality_up_to_nan_is_not_enough_for_bits(verdict: Ask) -> None:
    """Of two NaN, an addition may pass on the first: x + y and y + x differ then, if only in their bits."""
    source, target = bits_of("arith.addf", "%x, %y"), bits_of("arith.addf", "%y, %x")
    assert decided(verdict, source, target) == ("unknown", None)


def test_bits_of_different_nan_are_different(verdict: Ask) -> None:
    def nan(encoding: str) -> str:
        return returns(f"%n = arith.constant {encoding} : f32\n%r = arith.bitcast %n : f32 to i32", "%r : i32")

    assert decided(verdict, nan("0x7FC00000"), nan("0x7FC00000")) == ("equivalent", None)
    assert decided(verdict, nan("0x7FC00000"), nan("0x7FC00001")) == ("unknown", None)


def test_copysign_shows_the_sign_of_nan(verdict: Ask) -> None:
    source = binary("math.copysign")
    assert decided(verdict, source, source) == ("equivalent", None)
    ops = "%z = arith.constant 1.0 : f32\n%s = arith.mulf %y, %z : f32\n%r = math.copysign %x, %s : f32"
    assert decided(verdict, source, returns(ops, "%r : f32", TWO))[0] == "unknown"
    assert decided(verdict, source, binary("math.copysign").replace("%x, %y ", "%y, %x ")) == (
        "not-equivalent",
        "value",
    )


# Index


@pytest.mark.one_in(2)
def test_ops_of_index_are_those_of_arith(verdict: Ask) -> None:
    arguments = "%i: index, %j: index"
    source = returns("%s = index.add %i, %j\n%r = index.floordivs %s, %j", "%r : index", arguments)
    target = returns("%s = arith.addi %j, %i : index\n%r = arith.floordivsi %s, %j : index", "%r : index", arguments)
    assert decided(verdict, source, target) == ("equivalent", None)
    wrong = target.replace("floordivsi", "divsi")
    assert decided(verdict, source, wrong) == ("not-equivalent", "value")


def test_an_index_as_digits_and_back(verdict: Ask) -> None:
    kept = """
    func.func @f(%A: memref<?xf32>, %B: memref<4x8xf32>) {
      affine.for %i = 0 to 32 {
        %d:2 = affine.delinearize_index %i into (4, 8) : index, index
        %v = memref.load %B[%d#0, %d#1] : memref<4x8xf32>
        memref.store %v, %A[%i] : memref<?xf32>
      }
      return
    }
    """
    nested = """
    func.func @f(%A: memref<?xf32>, %B: memref<4x8xf32>) {
      affine.for %i = 0 to 4 {
        affine.for %j = 0 to 8 {
          %v = memref.load %B[%i, %j] : memref<4x8xf32>
          %k = affine.linearize_index disjoint [%i, %j] by (4, 8) : index
          memref.store %v, %A[%k] : memref<?xf32>
        }
      }
      return
    }
    """
    assert decided(verdict, kept, nested) == ("equivalent", None)
    assert decided(verdict, kept, nested.replace("[%i, %j] by (4, 8)", "[%j, %i] by (8, 4)"))[0] == "not-equivalent"


def test_the_size_of_an_index(verdict: Ask) -> None:
    source = returns("%s = index.sizeof\n%r = index.add %s, %i", "%r : index", "%i: index")
    assert decided(verdict, source, source) == ("equivalent", None)
    wide, narrow = (source.replace("index.sizeof", f"index.constant {k}") for k in (64, 32))
    assert decided(verdict, source, narrow) == ("not-equivalent", "value")
    assert only(verdict(source, wide, "--index-width", "32"))["verdict"] == "not-equivalent"


def test_a_nan_in_a_constant_is_not_known_to_the_bit(verdict: Ask) -> None:
    def table(encoding: str) -> str:
        ops = "%z = arith.constant 0 : index\n%t = memref.get_global @t : memref<1xf32>\n"
        ops += "%v = memref.load %t[%z] : memref<1xf32>\n%r = arith.bitcast %v : f32 to i32"
        return f"memref.global constant @t : memref<1xf32> = dense<{encoding}>\n" + returns(ops, "%r : i32", "")

    assert decided(verdict, table("0x7FC00000"), table("0x7FC00001")) == ("unknown", None)
    assert decided(verdict, table("1.0"), table("1.0")) == ("equivalent", None)


@pytest.mark.parametrize("held", ["{}", "[{}, 1.0]"])
def test_a_constant_of_one_module_has_the_nan_that_it_is_given(verdict: Ask, held: str) -> None:
    def table(encoding: str) -> str:
        ops = "%t = memref.get_global @t : memref<2xf32>\n%v = memref.load %t[%i] : memref<2xf32>\n"
        ops += "%r = arith.bitcast %v : f32 to i32"
        declared = f'memref.global "private" constant @t : memref<2xf32> = dense<{held.format(encoding)}>\n'
        return declared + returns(ops, "%r : i32", "%i: index")

    assert decided(verdict, table("0x7FC00001"), table("0x7FC00001")) == ("equivalent", None)
    assert decided(verdict, table("0x7FC00001"), table("0x7FC00002"))[0] in ("unknown", "not-equivalent")
