"""Reductions by lanes, of which a mask switches some off: they hold the neutral element, and only that."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode


def _verdict(source: str, target: str, fp: FloatMode = "strict") -> str:
    options = Options(switches=Switches(floats=fp))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def _sum(kind: str = "i32", op: str = "addi", zero: str = "0") -> str:
    return f"""
func.func @f(%A: memref<?x{kind}>, %n: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %s = affine.for %i = 0 to %n iter_args(%a = %z) -> {kind} {{
    %v = affine.load %A[%i] : memref<?x{kind}>
    %r = arith.{op} %a, %v : {kind}
    affine.yield %r : {kind}
  }}
  return %s : {kind}
}}"""


def _by_lanes(
    kind: str = "i32", op: str = "addi", fold: str = "add", zero: str = "0", count: str = "%rest", off: str = "%zeros"
) -> str:
    """Eight lanes, as `affine-super-vectorize` makes them, with a mask for the last few elements."""
    vector = f"vector<8x{kind}>"
    return f"""
func.func @f(%A: memref<?x{kind}>, %n: index) -> {kind} {{
  %zeros = arith.constant dense<{zero}> : {vector}
  %ones = arith.constant dense<1{".0" if kind[0] == "f" else ""}> : {vector}
  %pad = ub.poison : {kind}
  %s = affine.for %i = 0 to %n step 8 iter_args(%a = %zeros) -> {vector} {{
    %rest = affine.apply affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n]
    %less = affine.apply affine_map<(d0)[s0] -> (s0 - d0 - 1)>(%i)[%n]
    %mask = vector.create_mask {count} : vector<8xi1>
    %v = vector.transfer_read %A[%i], %pad : memref<?x{kind}>, {vector}
    %m = arith.select %mask, %v, {off} : vector<8xi1>, {vector}
    %r = arith.{op} %a, %m : {vector}
    affine.yield %r : {vector}
  }}
  %t = vector.reduction <{fold}>, %s : {vector} into {kind}
  return %t : {kind}
}}"""


@pytest.mark.parametrize(
    ("op", "fold", "zero"),
    [("addi", "add", "0"), ("muli", "mul", "1"), ("andi", "and", "-1"), ("maxsi", "maxsi", "-2147483648")],
)
def test_a_tail_is_switched_off(op: str, fold: str, zero: str) -> None:
    assert _verdict(_sum(op=op, zero=zero), _by_lanes(op=op, fold=fold, zero=zero)) == "refines"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "target",
    [_by_lanes(count="%less"), _by_lanes(off="%ones"), _by_lanes(off="%v"), _by_lanes(zero="1"), _by_lanes(op="subi")],
    ids=["a lane too few", "another element", "no mask", "another start", "another operator"],
)
def test_a_wrong_tail_is_refuted(target: str) -> None:
    assert _verdict(_sum(), target) == "not-equivalent"


def test_floats_need_a_licence() -> None:
    source, target = _sum("f32", "addf", "0.0"), _by_lanes("f32", "addf", "add", "0.0")
    assert _verdict(source, target) == "not-equivalent"
    assert _verdict(source, target, "reassoc") == "refines"


def test_a_positive_zero_of_a_lane_counts() -> None:
    """-0 + -0 is -0, and +0 with a lane that is off and holds +0."""
    source, target = _sum("f32", "addf", "-0.0"), _by_lanes("f32", "addf", "add", "-0.0")
    assert _verdict(source, target, "reassoc") == "refines"
    plus = target.replace("%ones = arith.constant dense<1.0>", "%ones = arith.constant dense<0.0>")
    assert _verdict(source, plus.replace("%v, %zeros", "%v, %ones"), "reassoc") == "not-equivalent"
