"""Loops of three stages that were pipelined, for any trip count: under a guard, or with a predicate for each stage."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

SOURCE = """func.func @p(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    %c = arith.mulf %b, %b : f32
    memref.store %c, %B[%i] : memref<?xf32>
  }
  return
}
"""
GUARDED = """func.func @p(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ge = arith.cmpi sge, %n, %c2 : index
  scf.if %ge {
    %a0 = memref.load %A[%c0] : memref<?xf32>
    %b0 = arith.addf %a0, %a0 : f32
    %a1 = memref.load %A[%c1] : memref<?xf32>
    %e = arith.subi %n, %c2 : index
    %r:2 = scf.for %i = %c0 to %e step %c1 iter_args(%b = %b0, %a = %a1) -> (f32, f32) {
      %c = arith.mulf %b, %b : f32
      memref.store %c, %B[%i] : memref<?xf32>
      %bn = arith.addf %a, %a : f32
      %j = arith.addi %i, %c2 : index
      %an = memref.load %A[%j] : memref<?xf32>
      scf.yield %bn, %an : f32, f32
    }
    %c = arith.mulf %r#0, %r#0 : f32
    memref.store %c, %B[%e] : memref<?xf32>
    %b = arith.addf %r#1, %r#1 : f32
    %d = arith.mulf %b, %b : f32
    %l = arith.subi %n, %c1 : index
    memref.store %d, %B[%l] : memref<?xf32>
  } else {
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %A[%i] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      %c = arith.mulf %b, %b : f32
      memref.store %c, %B[%i] : memref<?xf32>
    }
  }
  return
}
"""
PREDICATED = """func.func @p(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %e = arith.addi %n, %c2 : index
  %r:2 = scf.for %i = %c0 to %e step %c1 iter_args(%b = %z, %a = %z) -> (f32, f32) {
    %p2 = arith.cmpi sge, %i, %c2 : index
    %pn = arith.cmpi sge, %n, %c0 : index
    %p = arith.andi %p2, %pn : i1
    scf.if %p {
      %c = arith.mulf %b, %b : f32
      %k = arith.subi %i, %c2 : index
      memref.store %c, %B[%k] : memref<?xf32>
    }
    %bn = arith.addf %a, %a : f32
    %q = arith.cmpi slt, %i, %n : index
    %an = scf.if %q -> f32 {
      %x = memref.load %A[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %z : f32
    }
    scf.yield %bn, %an : f32, f32
  }
  return
}
"""


def _verdict(target: str) -> str:
    return check(SOURCE, target, ("source.mlir", "target.mlir"), Options()).functions[0].verdict


@pytest.mark.parametrize("target", [GUARDED, PREDICATED], ids=["guarded", "predicated"])
def test_pipelines(target: str) -> None:
    assert _verdict(target) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        (GUARDED, "arith.cmpi sge, %n, %c2", "arith.cmpi sge, %n, %c1"),
        (GUARDED, "memref.store %c, %B[%e]", "memref.store %c, %B[%c0]"),
        (GUARDED, "scf.yield %bn, %an", "scf.yield %an, %bn"),
        (PREDICATED, "arith.cmpi slt, %i, %n", "arith.cmpi sle, %i, %n"),
        (PREDICATED, "%k = arith.subi %i, %c2", "%k = arith.subi %i, %c1"),
    ],
    ids=["a trip too few", "the epilogue stores elsewhere", "stages exchanged", "a load too many", "a stage early"],
)
def test_wrong_pipelines(target: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert old in target
    assert _verdict(target.replace(old, new)) == "not-equivalent"
