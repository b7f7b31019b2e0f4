"""Values that loops carry within bounds, which guards and other operators rely on, and twins whose bounds are wrong."""

from __future__ import annotations

import pytest

from hecv.check import Options, check


def _loop(step: str, start: int = 0, result: str = "%r", element: str = "i8", kind: str = "i32") -> str:
    return f"""
func.func @f(%A: memref<?x{element}>, %B: memref<?x{kind}>) -> {kind} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant {start} : {kind}
  %n = memref.dim %A, %c0 : memref<?x{element}>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z) -> ({kind}) {{
    %v = memref.load %A[%k] : memref<?x{element}>
    %e = arith.extui %v : {element} to {kind}
    {step}
    scf.yield %q : {kind}
  }}
  return {result} : {kind}
}}"""


def _rest(number: int, op: str = "remui") -> str:
    return f"%m = arith.constant {number} : i32\n%t = arith.addi %s, %e : i32\n%q = arith.{op} %t, %m : i32"


def _reduced(number: int, predicate: str = "uge") -> str:
    return f"""%m = arith.constant {number} : i32
    %t = arith.addi %s, %e : i32
    %g = arith.cmpi {predicate}, %t, %m : i32
    %d = arith.subi %t, %m : i32
    %q = arith.select %g, %d, %t : i32"""


def _masked(mask: int, use: str) -> str:
    """A sum of a few bits, used in each iteration."""
    return f"""%mask = arith.constant {mask} : i32
    %one = arith.constant 1 : i32
    %limit = arith.constant 16 : i32
    {use}
    %t = arith.addi %s, %e : i32
    %q = arith.andi %t, %mask : i32"""


STORE = "memref.store %s, %B[%k] : memref<?xi32>"
GUARDED = f"%g = arith.cmpi ult, %s, %limit : i32\nscf.if %g {{\n{STORE}\n}}"

EITHER = f"{GUARDED} else {{\n%far = arith.addi %k, %n : index\nmemref.store %one, %B[%far] : memref<?xi32>\n}}"


def _halved(op: str) -> str:
    return f"%h = arith.{op} %s, %one : i32\nmemref.store %h, %B[%k] : memref<?xi32>"


def _clamped(most: int, op: str) -> str:
    """A saturating sum, halved."""
    return f"""%most = arith.constant {most} : i32
    %two = arith.constant 2 : i32
    %h = arith.{op} %s, %two : i32
    memref.store %h, %B[%k] : memref<?xi32>
    %t = arith.addi %s, %e : i32
    %q = arith.minsi %t, %most : i32"""


SHORT = "%x = arith.trunci %w : i64 to i16\n%y = arith.extsi %x : i16 to i32"
LONG = "%y = arith.trunci %w : i64 to i32"


def _narrow(through: str) -> str:
    """A difference that is kept above a bound, cast to more bits and back."""
    return f"""%least = arith.constant -100 : i32
    %w = arith.extsi %s : i32 to i64
    {through}
    memref.store %y, %B[%k] : memref<?xi32>
    %t = arith.subi %s, %e : i32
    %q = arith.maxsi %t, %least : i32"""


def _while(guard: str) -> str:
    """Digits of a sum, by a loop that is not counted."""
    return f"""
func.func @f(%x: i32, %B: memref<4xi32>) {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  %five = arith.constant 5 : i32
  %r:2 = scf.while (%a = %x, %s = %z) : (i32, i32) -> (i32, i32) {{
    %c = arith.cmpi ne, %a, %z : i32
    scf.condition(%c) %a, %s : i32, i32
  }} do {{
  ^bb0(%a: i32, %s: i32):
    %d = arith.remui %a, %ten : i32
    %t = arith.addi %s, %d : i32
    {guard}
    %b = arith.divui %a, %ten : i32
    scf.yield %b, %q : i32, i32
  }}
  memref.store %r#1, %B[%c0] : memref<4xi32>
  return
}}"""


DIGITS = "%q = arith.remui %t, %ten : i32"


def _digits(number: str, predicate: str = "uge") -> str:
    return f"""%g = arith.cmpi {predicate}, %t, {number} : i32
    %u = arith.subi %t, %ten : i32
    %q = arith.select %g, %u, %t : i32"""


PAIRS = {
    "remainder": (_loop(_rest(999)), _loop(_reduced(999)), "equivalent"),
    "remainder, equal left": (_loop(_rest(999)), _loop(_reduced(999, "ugt")), "unproved"),
    "remainder, one off": (_loop(_rest(999)), _loop(_reduced(998)), "not-equivalent"),
    "remainder by less": (_loop(_rest(100)), _loop(_reduced(100)), "not-equivalent"),
    "remainder from beyond": (_loop(_rest(999), 2500), _loop(_reduced(999), 2500), "not-equivalent"),
    "signed remainder": (_loop(_rest(1021, "remsi")), _loop(_reduced(1021, "sge")), "equivalent"),
    "guard": (_loop(_masked(15, STORE)), _loop(_masked(15, GUARDED)), "refines"),
    "guard of two": (_loop(_masked(15, STORE)), _loop(_masked(15, EITHER)), "equivalent"),
    "guard of two, one bit more": (_loop(_masked(31, STORE)), _loop(_masked(31, EITHER)), "not-equivalent"),
    "guard, one bit more": (_loop(_masked(31, STORE)), _loop(_masked(31, GUARDED)), "not-equivalent"),
    "shift": (_loop(_masked(0x7FFFFFFF, _halved("shrsi"))), _loop(_masked(0x7FFFFFFF, _halved("shrui"))), "equivalent"),
    "shift of a sign": (
        _loop(_masked(-1, _halved("shrsi")), -5),
        _loop(_masked(-1, _halved("shrui")), -5),
        "not-equivalent",
    ),
    "quotient": (_loop(_clamped(1000, "divsi")), _loop(_clamped(1000, "divui")), "equivalent"),
    "quotient of a sign": (_loop(_clamped(1000, "divsi"), -9), _loop(_clamped(1000, "divui"), -9), "not-equivalent"),
    "narrow": (_loop(_narrow(SHORT), 7), _loop(_narrow(LONG), 7), "equivalent"),
    "narrow, too wide": (_loop(_narrow(SHORT), 1 << 15), _loop(_narrow(LONG), 1 << 15), "not-equivalent"),
    "digits": (_while(DIGITS), _while(_digits("%ten")), "equivalent"),
    "digits, one off": (_while(DIGITS), _while(_digits("%five")), "not-equivalent"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_carried_ranges(name: str) -> None:
    source, target, wanted = PAIRS[name]
    found = check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict
    assert found in ("unknown", "not-equivalent") if wanted == "unproved" else found == wanted
