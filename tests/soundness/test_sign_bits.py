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
