// small-power.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 11, the fourth power; it was
//   %p = arith.muli %x, %a : i64
// RUN: %exits 1 hecv check %S/small-power.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @small_power

func.func @small_power(%a: i64, %d: i64) -> i64 {
  %x = arith.muli %a, %a : i64
  %p = arith.muli %x, %x : i64
  %r = arith.divui %p, %d : i64
  return %r : i64
}
