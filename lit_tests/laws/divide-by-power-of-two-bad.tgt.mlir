// divide-by-power-of-two.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 11, the bias is 15; it was
//   %j = arith.constant 61 : i64
// RUN: %exits 1 hecv check %S/divide-by-power-of-two.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @divide_by_power_of_two

func.func @divide_by_power_of_two(%a: i64, %d: i64) -> i64 {
  %top = arith.constant 63 : i64
  %j = arith.constant 60 : i64
  %k = arith.constant 3 : i64
  %sign = arith.shrsi %a, %top : i64
  %bias = arith.shrui %sign, %j : i64
  %x = arith.addi %a, %bias : i64
  %s = arith.shrsi %x, %k : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
