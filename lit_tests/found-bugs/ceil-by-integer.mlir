// `math-expand-ops` computes the ceiling by a conversion to an integer of 64 bits, which is poison for large numbers,
// and a half rounded by the sum with 0.5, which of the float below 0.5 is 1.
//
// RUN: mlir-opt %s '-math-expand-ops=ops=ceil,round' -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @ceiling
// CHECK: target result0 = poison
func.func @ceiling(%v: f64) -> f64 {
  %r = math.ceil %v : f64
  return %r : f64
}

// CHECK: not equivalent: @rounded
// CHECK: source result0 = 0.0
// CHECK: target result0 = 1.0
func.func @rounded(%v: f32) -> f32 {
  %r = math.round %v : f32
  return %r : f32
}
