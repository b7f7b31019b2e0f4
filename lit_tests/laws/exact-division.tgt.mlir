// By hand, from exact-division.src.mlir by divsi-of-product-of-literals
// Verdict: refines
// RUN: %exits 0 hecv check --engine dataflow -v %S/exact-division.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/exact-division.src.mlir %S/exact-division.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}refines: @exact_division
// CHECK-NOT: smt-refinement
// CHECK: divsi-of-product-of-literals

func.func @exact_division(%a: i64) -> i64 {
  %c = arith.constant 3 : i64
  %r = arith.muli %a, %c : i64
  return %r : i64
}
