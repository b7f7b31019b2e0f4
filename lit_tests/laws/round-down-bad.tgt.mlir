// round-down.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 10, the mask keeps the lowest bit and drops none of the others; it was
//   %m = arith.constant -16 : i64
// RUN: %exits 1 hecv check %S/round-down.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @round_down

func.func @round_down(%a: i64, %d: i64) -> i64 {
  %m = arith.constant -15 : i64
  %s = arith.andi %a, %m : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
