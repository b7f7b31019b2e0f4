// By hand, from high-half.src.mlir by mulsi-extended-as-wide-product
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/high-half.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/high-half.src.mlir %S/high-half.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @high_half
// CHECK-NOT: smt-refinement
// CHECK: mulsi-extended-as-wide-product

func.func @high_half(%a: i32, %b: i32, %d: i32) -> i32 {
  %k = arith.constant 32 : i64
  %x = arith.extsi %a : i32 to i64
  %y = arith.extsi %b : i32 to i64
  %p = arith.muli %x, %y : i64
  %h = arith.shrui %p, %k : i64
  %hi = arith.trunci %h : i64 to i32
  %r = arith.divui %hi, %d : i32
  return %r : i32
}
