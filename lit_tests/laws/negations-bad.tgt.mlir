// negations.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 10, the operands are exchanged; it was
//   %q = arith.divf %a, %b : f32
// RUN: %exits 1 hecv check %S/negations.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @negations

func.func @negations(%a: f32, %b: f32) -> f32 {
  %q = arith.divf %b, %a : f32
  %m = arith.mulf %a, %b : f32
  %r = arith.addf %q, %m : f32
  return %r : f32
}
