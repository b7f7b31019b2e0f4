// rotation.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 11, the parts meet in a bit; it was
//   %k = arith.constant 51 : i64
// RUN: %exits 1 hecv check %S/rotation.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @rotation

func.func @rotation(%a: i64, %d: i64) -> i64 {
  %j = arith.constant 13 : i64
  %k = arith.constant 50 : i64
  %l = arith.shli %a, %j : i64
  %h = arith.shrui %a, %k : i64
  %s = arith.addi %l, %h : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
