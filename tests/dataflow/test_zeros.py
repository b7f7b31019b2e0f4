"""Reductions that run over padding: a product of two literal zeros adds nothing; of one, it may."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode


def _dot(kind: str = "i32") -> str:
    add, mul = ("addi", "muli") if kind.startswith("i") else ("addf", "mulf")
    return f"""
func.func @f(%A: memref<6x{kind}>, %B: memref<6x{kind}>, %C: memref<1x{kind}>) {{
  affine.for %k = 0 to 6 {{
    %a = affine.load %A[%k] : memref<6x{kind}>
    %b = affine.load %B[%k] : memref<6x{kind}>
    %c = affine.load %C[0] : memref<1x{kind}>
    %p = arith.{mul} %a, %b : {kind}
    %s = arith.{add} %c, %p : {kind}
    affine.store %s, %C[0] : memref<1x{kind}>
  }}
  return
}}"""


def _padded(kind: str = "i32", first: str = "0", second: str | None = "0", end: int = 6) -> str:
    """The product over 8 elements, of which those from `end` on are padding; of the second factor it is none where that
    is None."""
    add, mul = ("addi", "muli") if kind.startswith("i") else ("addf", "mulf")
    fill = "" if second is None else f"affine.store %y, %Q[%k] : memref<8x{kind}>"
    return f"""
func.func @f(%A: memref<6x{kind}>, %B: memref<6x{kind}>, %C: memref<1x{kind}>) {{
  %x = arith.constant {first} : {kind}
  %y = arith.constant {second or first} : {kind}
  %P = memref.alloc() : memref<8x{kind}>
  %Q = memref.alloc() : memref<8x{kind}>
  affine.for %k = 0 to 8 {{
    affine.store %x, %P[%k] : memref<8x{kind}>
    {fill}
  }}
  affine.for %k = 0 to {end} {{
    %a = affine.load %A[%k] : memref<6x{kind}>
    affine.store %a, %P[%k] : memref<8x{kind}>
  }}
  affine.for %k = 0 to 6 {{
    %b = affine.load %B[%k] : memref<6x{kind}>
    affine.store %b, %Q[%k] : memref<8x{kind}>
  }}
  affine.for %k = 0 to 8 {{
    %a = affine.load %P[%k] : memref<8x{kind}>
    %b = affine.load %Q[%k] : memref<8x{kind}>
    %c = affine.load %C[0] : memref<1x{kind}>
    %p = arith.{mul} %a, %b : {kind}
    %s = arith.{add} %c, %p : {kind}
    affine.store %s, %C[0] : memref<1x{kind}>
  }}
  return
}}"""


def _verdict(source: str, target: str, fp: FloatMode = "strict") -> str:
    options = Options(switches=Switches(floats=fp))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def test_padding_with_zeros_adds_nothing() -> None:
    assert _verdict(_dot(), _padded()) == "equivalent"


@pytest.mark.parametrize("target", [_padded(first="1", second="1"), _padded(end=5)])
def test_other_padding_is_refuted(target: str) -> None:
    assert _verdict(_dot(), target) == "not-equivalent"


def test_zero_times_what_is_not_initialised_is_not_zero() -> None:
    assert _verdict(_dot(), _padded(second=None)) not in ("equivalent", "refines")


@pytest.mark.one_in(2)
def test_the_sign_of_a_zero_matters_but_over_the_reals() -> None:
    """`-0 + 0 * 0` is `+0`."""
    target = _padded("f32", "0.0", "0.0")
    assert _verdict(_dot("f32"), target, "reassoc") == "unknown"
    assert _verdict(_dot("f32"), target, "real") == "equivalent"
