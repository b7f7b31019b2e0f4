// By hand, from absolute-value.src.mlir by absi-by-sign-subi
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/absolute-value.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/absolute-value.src.mlir %S/absolute-value.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @absolute_value
// CHECK-NOT: smt-refinement
// CHECK: absi-by-sign-subi

func.func @absolute_value(%a: i64, %d: i64) -> i64 {
  %c = arith.constant 63 : i64
  %sign = arith.shrsi %a, %c : i64
  %x = arith.xori %a, %sign : i64
  %s = arith.subi %x, %sign : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
