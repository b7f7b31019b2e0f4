// By hand, from average.src.mlir by average-down-unsigned
// Verdict: refines
// RUN: %exits 0 hecv check --engine dataflow -v %S/average.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/average.src.mlir %S/average.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}refines: @average
// CHECK-NOT: smt-refinement
// CHECK: average-down-unsigned

func.func @average(%a: i64, %b: i64, %d: i64) -> i64 {
  %one = arith.constant 1 : i64
  %x = arith.xori %a, %b : i64
  %y = arith.andi %a, %b : i64
  %z = arith.shrui %x, %one : i64
  %h = arith.addi %y, %z : i64
  %r = arith.muli %h, %d : i64
  return %r : i64
}
