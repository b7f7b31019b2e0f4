// high-half.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 12, the second factor is unsigned; it was
//   %y = arith.extsi %b : i32 to i64
// RUN: %exits 1 hecv check %S/high-half.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @high_half

func.func @high_half(%a: i32, %b: i32, %d: i32) -> i32 {
  %k = arith.constant 32 : i64
  %x = arith.extsi %a : i32 to i64
  %y = arith.extui %b : i32 to i64
  %p = arith.muli %x, %y : i64
  %h = arith.shrui %p, %k : i64
  %hi = arith.trunci %h : i64 to i32
  %r = arith.divui %hi, %d : i32
  return %r : i32
}
