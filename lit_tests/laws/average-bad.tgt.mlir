// average.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 13, the shift copies the sign; it was
//   %z = arith.shrui %x, %one : i64
// RUN: %exits 1 hecv check %S/average.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @average

func.func @average(%a: i64, %b: i64, %d: i64) -> i64 {
  %one = arith.constant 1 : i64
  %x = arith.xori %a, %b : i64
  %y = arith.andi %a, %b : i64
  %z = arith.shrsi %x, %one : i64
  %h = arith.addi %y, %z : i64
  %r = arith.muli %h, %d : i64
  return %r : i64
}
