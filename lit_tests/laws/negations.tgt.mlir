// By hand, from negations.src.mlir by divf-negations
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/negations.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/negations.src.mlir %S/negations.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @negations
// CHECK-NOT: smt-refinement
// CHECK: divf-negations

func.func @negations(%a: f32, %b: f32) -> f32 {
  %q = arith.divf %a, %b : f32
  %m = arith.mulf %a, %b : f32
  %r = arith.addf %q, %m : f32
  return %r : f32
}
