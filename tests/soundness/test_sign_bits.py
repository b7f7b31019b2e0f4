"""Ops on the sign bit of floats, against each other and against arithmetic on bits: to the last bit, of NaN too."""

from __future__ import annotations

import pytest

from .test_conditions import proof

KINDS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
CHAIN = """  %n = arith.negf %x : {f}
  %a = math.absf %n : {f}
  %c = math.copysign %a, %y : {f}
  %m = arith.negf %c : {f}
  %r = arith.bitcast %m : {f} to {i}
"""
SHORT = """  %n = {op} %y : {f}
  %c = math.copysign %x, %n {flags} : {f}
  %r = arith.bitcast %c : {f} to {i}
"""
BITS = """  %s = arith.constant {sign} : {i}
  %k = arith.constant {rest} : {i}
  %a = arith.bitcast %x : {f} to {i}
  %b = arith.bitcast %y : {f} to {i}
  %c = arith.andi %a, %k : {i}
  %n = {flip} %b, %s : {i}
  %d = arith.andi %n, %s : {i}
  %r = arith.ori %c, %d : {i}
"""
COPY = "  %c = math.copysign %x, %y : {f}\n  %r = arith.bitcast %c : {f} to {i}\n"
PLAIN = "  %c = math.absf %x : {f}\n  %r = arith.bitcast %c : {f} to {i}\n"
READ = "  %m = memref.alloc() : memref<{f}>\n  %v = memref.load %m[] : memref<{f}>\n"
OVER = "  %d = math.copysign %x, {by} : {f}\n  %c = math.absf %d : {f}\n  %r = arith.bitcast %c : {f} to {i}\n"
UNDER = "  %d = math.absf {by} : {f}\n  %c = math.copysign %x, %d : {f}\n  %r = arith.bitcast %c : {f} to {i}\n"
LITERAL = (
    "  %l = arith.constant {value} : {f}\n  %c = math.copysign %x, %l : {f}\n  %r = arith.bitcast %c : {f} to {i}\n"
)


def function(kind: str, body: str, **more: str) -> str:
    width = KINDS[kind]
    words = {"f": kind, "i": f"i{width}", "sign": str(1 << (width - 1)), "rest": str((1 << (width - 1)) - 1), **more}
    return f"func.func @f(%x: {kind}, %y: {kind}) -> i{width} {{\n{body.format(**words)}  return %r : i{width}\n}}\n"


@pytest.mark.parametrize("kind", KINDS)
def test_chains(kind: str) -> None:
    chain = function(kind, CHAIN)
    assert proof(chain, function(kind, SHORT, op="arith.negf", flags="")) == "one form"
    assert proof(function(kind, BITS, flip="arith.xori"), chain) == "one form"
    assert proof(chain, function(kind, SHORT, op="math.absf", flags="")) is None
    assert proof(function(kind, COPY), function(kind, BITS, flip="arith.xori")) is None


def test_flags_are_no_bits() -> None:
    assert proof(function("f32", CHAIN), function("f32", SHORT, op="arith.negf", flags="fastmath<nnan>")) is None


def test_literals_have_signs() -> None:
    plain = function("f16", PLAIN)
    assert proof(plain, function("f16", LITERAL, value="2.0")) == "one form"
    assert proof(plain, function("f16", LITERAL, value="0.0")) == "one form"
    assert proof(plain, function("f16", LITERAL, value="-0.0")) is None
    assert proof(plain, function("f16", LITERAL, value="-2.0")) is None


@pytest.mark.parametrize("body", [OVER, UNDER])
def test_what_is_left_out_may_be_poison(body: str) -> None:
    """A float that memory never held is poison, also where none of its bits is used."""
    plain = function("f32", PLAIN)
    assert proof(plain, function("f32", body, by="%y")) == "one form"
    assert proof(plain, function("f32", READ + body, by="%v")) is None


TESTED = """  %l = arith.constant {number} : {f}
  %k = arith.constant {bound} : {f}
  %c = math.copysign %l, {of} : {f}
  %t = arith.cmpf {predicate}, %c, %k : {f}
  %r = arith.extui %t : i1 to {i}
"""
NEGATIVE = """  %z = arith.constant 0 : {i}
  %b = arith.bitcast {of} : {f} to {i}
  %t = arith.cmpi {predicate}, %b, %z : {i}
  %r = arith.extui %t : i1 to {i}
"""


def _tested(number: str, predicate: str, bound: str, kind: str = "f32", of: str = "%x") -> str:
    return function(kind, TESTED, number=number, predicate=predicate, bound=bound, of=of)


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_with_a_sign_is_a_test_of_it(kind: str) -> None:
    negative, positive = (function(kind, NEGATIVE, predicate=p, of="%x") for p in ("slt", "sge"))
    assert proof(_tested("1.0", "olt", "0.0", kind), negative) == "one form"
    assert proof(_tested("-1.0", "ule", "-1.0", kind), negative) == "one form"
    assert proof(_tested("1.0", "oeq", "1.0", kind), positive) == "one form"
    assert proof(_tested("1.0", "olt", "0.0", kind), positive) is None
    assert proof(_tested("1.0", "ole", "-0.5", kind, "%y"), negative) is None


@pytest.mark.parametrize(
    ("number", "predicate", "bound"),
    [
        pytest.param("0.0", "olt", "0.0", id="zeros are equal"),
        pytest.param("1.0", "olt", "-1.0", id="neither is"),
        pytest.param("1.0", "ole", "1.0", id="both are"),
        pytest.param("0x7FC00000", "olt", "0.0", id="NaN"),
        pytest.param("1.0", "ult", "0x7FC00000", id="than NaN"),
    ],
)
def test_no_test_of_a_sign(number: str, predicate: str, bound: str) -> None:
    negative = function("f32", NEGATIVE, predicate="slt", of="%x")
    assert proof(_tested(number, predicate, bound), negative) is None


CHOSEN = """  %z = arith.constant 0 : {i}
  %b = arith.bitcast %y : {f} to {i}
  %t = arith.cmpi {predicate}, %b, %z : {i}
  %a = math.absf {of} : {f}
  %n = arith.negf %a : {f}
  %c = arith.select %t, {arms} : {f}
  %r = arith.bitcast %c : {f} to {i}
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_sign_that_is_chosen(kind: str) -> None:
    copied = function(kind, COPY)
    assert proof(copied, function(kind, CHOSEN, predicate="slt", of="%x", arms="%n, %a")) == "one form"
    assert proof(copied, function(kind, CHOSEN, predicate="sge", of="%x", arms="%a, %n")) == "one form"
    assert proof(copied, function(kind, CHOSEN, predicate="slt", of="%x", arms="%a, %n")) is None
    assert proof(copied, function(kind, CHOSEN, predicate="sgt", of="%x", arms="%a, %n")) is None
    assert proof(copied, function(kind, CHOSEN, predicate="slt", of="%y", arms="%n, %a")) is None


SHIFTED = """  %v = {op}
  %b = arith.bitcast %v : {f} to {i}
  %k = arith.constant 31 : {i}
  %s = arith.shrui %b, %k : {i}
  %t = arith.trunci %s : {i} to i1
  %r = arith.extui %t : i1 to {i}
"""


@pytest.mark.egraph
def test_integers_of_bits() -> None:
    """What both programs show of one float are integers like others; which NaN a sum is depends on its order."""
    negative = "  %v = {op}\n" + NEGATIVE
    shifted = function("f32", SHIFTED, op="arith.addf %x, %y : f32")
    same = function("f32", negative, predicate="slt", of="%v", op="arith.addf %x, %y : f32")
    other = function("f32", negative, predicate="slt", of="%v", op="arith.addf %y, %x : f32")
    assert proof(shifted, same) == "array dataflow"
    assert proof(shifted, other) is None
    assert proof(shifted, same.replace("slt", "sge")) is None
