// By hand, from wide-sum.src.mlir by average-in-wide-type
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/wide-sum.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/wide-sum.src.mlir %S/wide-sum.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @wide_sum
// CHECK-NOT: smt-refinement
// CHECK: average-in-wide-type

func.func @wide_sum(%a: i32, %b: i32, %d: i32) -> i32 {
  %one = arith.constant 1 : i32
  %x = arith.xori %a, %b : i32
  %y = arith.andi %a, %b : i32
  %z = arith.shrui %x, %one : i32
  %t = arith.addi %y, %z : i32
  %r = arith.divui %t, %d : i32
  return %r : i32
}
