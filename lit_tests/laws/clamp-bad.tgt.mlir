// clamp.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 13, the lower bound is the upper one; it was
//   %s = arith.maxsi %x, %lo : i64
// RUN: %exits 1 hecv check %S/clamp.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @clamp

func.func @clamp(%a: i64, %d: i64) -> i64 {
  %lo = arith.constant -10 : i64
  %hi = arith.constant 10 : i64
  %x = arith.minsi %a, %hi : i64
  %s = arith.maxsi %x, %hi : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
