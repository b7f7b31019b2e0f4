// `affine-super-vectorize` makes vectors of eight elements of a loop over %n, which need not be a multiple of eight: the
// last store reaches beyond the end of the loop.
//
// RUN: mlir-opt %s -affine-super-vectorize=virtual-vector-size=8 -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @fill
// CHECK: %a[1] is 0.0, expected 1.0
func.func @fill(%a: memref<16xf32>, %n: index) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.store %z, %a[%i] : memref<16xf32>
  }
  return
}
