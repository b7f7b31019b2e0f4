// exact-division.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 10, 12 / 4 is 3; it was
//   %c = arith.constant 3 : i64
// RUN: %exits 1 hecv check %S/exact-division.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @exact_division

func.func @exact_division(%a: i64) -> i64 {
  %c = arith.constant 4 : i64
  %r = arith.muli %a, %c : i64
  return %r : i64
}
