// horner.src.mlir, changed by hand: Horner's scheme, contracted
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/horner.src.mlir %s --fp real | FileCheck %s
// RUN: %exits 0 hecv check %S/horner.src.mlir %S/horner.src.mlir --fp real | FileCheck %s
// RUN: %exits 0 hecv check %s %s --fp real | FileCheck %s
// CHECK: {{^}}equivalent: @poly
func.func @poly(%x: f32, %a: f32, %b: f32, %c: f32) -> f32 {
  %p = math.fma %a, %x, %b : f32
  %r = math.fma %p, %x, %c : f32
  return %r : f32
}
