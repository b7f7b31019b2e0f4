"""Files of several functions: one worker decides them one after the other, as if each were alone."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.check import Options, check
from hecv.claim.result import Report
from hecv.claim.strategy import Strategy

SOURCE = """
func.func @by_theorems(%A: memref<32xi32>, %x: i32) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %A[%i] : memref<32xi32>
    %1 = arith.addi %0, %x : i32
    affine.store %1, %A[%i] : memref<32xi32>
  }
  return
}
func.func @swapped(%x: i32, %y: i32) -> i32 {
  %0 = arith.subi %x, %y : i32
  return %0 : i32
}
func.func @by_laws(%x: i32) -> i32 {
  %0 = arith.andi %x, %x : i32
  return %0 : i32
}
"""
TARGET = """
func.func @by_theorems(%A: memref<32xi32>, %x: i32) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %A[%i] : memref<32xi32>
    %1 = arith.addi %x, %0 : i32
    affine.store %1, %A[%i] : memref<32xi32>
  }
  return
}
func.func @swapped(%x: i32, %y: i32) -> i32 {
  %0 = arith.subi %y, %x : i32
  return %0 : i32
}
func.func @by_laws(%x: i32) -> i32 {
  return %x : i32
}
"""
ONE_WORKER = Options(jobs=1, strategy=Strategy(engine="theorems"))


def _verdicts(report: Report) -> list[tuple[str, str, object]]:
    return [(f.name, f.verdict, [rule.name for rule in f.rules]) for f in report.functions]


def test_functions_are_decided_in_one_worker_as_they_are_alone() -> None:
    names = ("a.mlir", "b.mlir")
    together = check(SOURCE, TARGET, names, ONE_WORKER)
    alone = [
        check(SOURCE, TARGET, names, replace(ONE_WORKER, functions=(name,)))
        for name in ("by_theorems", "swapped", "by_laws")
    ]
    assert _verdicts(together) == [found for report in alone for found in _verdicts(report)]
    # The second needs MLIR's JIT, in a process that is forked from one in which the e-graph has run.
    assert [f.verdict for f in together.functions] == ["equivalent", "not-equivalent", "equivalent"]
