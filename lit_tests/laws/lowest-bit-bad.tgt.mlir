// lowest-bit.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 13, the bit is added; it was
//   %s = arith.subi %a, %low : i64
// RUN: %exits 1 hecv check %S/lowest-bit.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @lowest_bit

func.func @lowest_bit(%a: i64, %d: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %n = arith.subi %zero, %a : i64
  %low = arith.andi %a, %n : i64
  %s = arith.addi %a, %low : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
