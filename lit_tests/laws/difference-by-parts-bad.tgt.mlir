// difference-by-parts.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 15, the parts are added; it was
//   %s = arith.subi %x, %y : i64
// RUN: %exits 1 hecv check %S/difference-by-parts.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @difference_by_parts

func.func @difference_by_parts(%a: i64, %b: i64, %d: i64) -> i64 {
  %m = arith.constant -1 : i64
  %na = arith.xori %a, %m : i64
  %nb = arith.xori %b, %m : i64
  %x = arith.andi %a, %nb : i64
  %y = arith.andi %na, %b : i64
  %s = arith.addi %x, %y : i64
  %r = arith.remui %s, %d : i64
  return %r : i64
}
