// -0.0 + 0.0 is +0.0. `canonicalize` folds the sum with a complex zero away, as it does not for `arith.addf`.
//
// RUN: mlir-opt %s -canonicalize -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @shift
// CHECK: input {{.*}}-0.0
// CHECK: source result0 = [0.0, 0.0]
// CHECK: target result0 = [{{.*}}-0.0
func.func @shift(%z: complex<f32>) -> complex<f32> {
  %o = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %s = complex.add %z, %o : complex<f32>
  return %s : complex<f32>
}
