// wide-sum.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 12, the average rounded down is by what both have; it was
//   %y = arith.andi %a, %b : i32
// RUN: %exits 1 hecv check %S/wide-sum.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @wide_sum

func.func @wide_sum(%a: i32, %b: i32, %d: i32) -> i32 {
  %one = arith.constant 1 : i32
  %x = arith.xori %a, %b : i32
  %y = arith.ori %a, %b : i32
  %z = arith.shrui %x, %one : i32
  %t = arith.addi %y, %z : i32
  %r = arith.divui %t, %d : i32
  return %r : i32
}
