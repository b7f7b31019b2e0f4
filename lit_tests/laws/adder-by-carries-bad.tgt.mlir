// adder-by-carries.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 12, the carries are where both bits are set; it was
//   %y = arith.andi %a, %b : i64
// RUN: %exits 1 hecv check %S/adder-by-carries.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @adder_by_carries

func.func @adder_by_carries(%a: i64, %b: i64, %c: i64) -> i64 {
  %one = arith.constant 1 : i64
  %x = arith.xori %a, %b : i64
  %y = arith.ori %a, %b : i64
  %z = arith.shli %y, %one : i64
  %s = arith.addi %x, %z : i64
  %r = arith.muli %c, %s : i64
  return %r : i64
}
