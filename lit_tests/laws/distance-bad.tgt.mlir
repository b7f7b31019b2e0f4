// distance.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 11, the lesser is that of signed numbers; it was
//   %y = arith.minui %a, %b : i64
// RUN: %exits 1 hecv check %S/distance.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @distance

func.func @distance(%a: i64, %b: i64, %d: i64) -> i64 {
  %x = arith.maxui %a, %b : i64
  %y = arith.minsi %a, %b : i64
  %s = arith.subi %x, %y : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
