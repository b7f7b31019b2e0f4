// horner.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: a is added where it is a factor; it was
//   %p = math.fma %a, %x, %b : f32
// RUN: %exits 1 hecv check %S/horner.src.mlir %s --fp real | FileCheck %s
// RUN: %exits 0 hecv check %s %s --fp real | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @poly
// SELF: {{^}}equivalent: @poly
func.func @poly(%x: f32, %a: f32, %b: f32, %c: f32) -> f32 {
  %p = math.fma %x, %b, %a : f32
  %r = math.fma %p, %x, %c : f32
  return %r : f32
}
