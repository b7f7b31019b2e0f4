// Approximations by polynomials are not exact, but these are far off: the logarithm of a subnormal number is that of the
// smallest normal one, and the angle of (0, -0) is NaN where it is pi.
//
// RUN: mlir-opt %s -test-math-polynomial-approximation -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @logarithm
// CHECK: target result0 = -87.3
func.func @logarithm(%x: f32) -> f32 {
  %r = math.log %x : f32
  return %r : f32
}

// CHECK: not equivalent: @angle
// CHECK: target result0 = nan
func.func @angle(%y: f16, %x: f16) -> f16 {
  %r = math.atan2 %y, %x : f16
  return %r : f16
}
