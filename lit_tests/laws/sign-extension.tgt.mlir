// By hand, from sign-extension.src.mlir by sign-extension-by-shifts
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/sign-extension.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/sign-extension.src.mlir %S/sign-extension.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @sign_extension
// CHECK-NOT: smt-refinement
// CHECK: sign-extension-by-shifts

func.func @sign_extension(%a: i64, %d: i64) -> i64 {
  %k = arith.constant 48 : i64
  %l = arith.shli %a, %k : i64
  %s = arith.shrsi %l, %k : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
