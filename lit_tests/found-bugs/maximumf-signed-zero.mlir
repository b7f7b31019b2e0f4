// `arith.maximumf` orders zeros: +0.0 is greater than -0.0. `arith-expand` compares, and for equal operands takes the
// second one; `minimumf` likewise.
//
// RUN: mlir-opt %s -arith-expand -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @max
// CHECK: input %a = 0.0, %b = -0.0
// CHECK: source result0 = 0.0
// CHECK: target result0 = -0.0
// CHECK: by the interpreter and by MLIR's JIT
func.func @max(%a: f32, %b: f32) -> f32 {
  %m = arith.maximumf %a, %b : f32
  return %m : f32
}

// CHECK: not equivalent: @min
// CHECK: input %a = -0.0, %b = 0.0
func.func @min(%a: f32, %b: f32) -> f32 {
  %m = arith.minimumf %a, %b : f32
  return %m : f32
}
