// `math.clampf %v to [%min, %max]` is min(max(v, min), max). `math-expand-ops` makes max(min(v, min), max) of it.
//
// RUN: mlir-opt %s -math-expand-ops -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @clamp
// CHECK: input %v = 0.0, %min = 0.0, %max = 1.0
// CHECK: source result0 = 0.0
// CHECK: target result0 = 1.0
func.func @clamp(%v: f32, %min: f32, %max: f32) -> f32 {
  %r = math.clampf %v to [%min, %max] : f32
  return %r : f32
}
