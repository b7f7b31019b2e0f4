// `math-expand-ops` computes x**n as exp(n * log(x)), so 0**0 is NaN, and chooses the sign of an infinite x**-3 by a
// comparison that holds for zero.
//
// RUN: mlir-opt %s -math-expand-ops -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --assume 'n == 0' | FileCheck %s

// CHECK: not equivalent: @power
// CHECK: input %x = 0.0, %n = 0
// CHECK: source result0 = 1.0
// CHECK: target result0 = nan
func.func @power(%x: f32, %n: i32) -> f32 {
  %r = math.fpowi %x, %n : f32, i32
  return %r : f32
}

// CHECK: not equivalent: @inverse
// CHECK: source result0 = inf
// CHECK: target result0 = -inf
func.func @inverse(%x: f32) -> f32 {
  %n = arith.constant -3 : i32
  %r = math.fpowi %x, %n : f32, i32
  return %r : f32
}
