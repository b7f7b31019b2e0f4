// absolute-value.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 11, the sign is 0 or 1, not 0 or -1; it was
//   %sign = arith.shrsi %a, %c : i64
// RUN: %exits 1 hecv check %S/absolute-value.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @absolute_value

func.func @absolute_value(%a: i64, %d: i64) -> i64 {
  %c = arith.constant 63 : i64
  %sign = arith.shrui %a, %c : i64
  %x = arith.xori %a, %sign : i64
  %s = arith.subi %x, %sign : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
