// The first loop changes %a in place. `affine-loop-fusion` keeps it, and recomputes its values in the second loop: from
// what is already changed.
//
// RUN: mlir-opt %s -pass-pipeline='builtin.module(func.func(affine-loop-fusion{mode=producer}))' -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @doubled
// CHECK: %b[0] is 4.0, expected 2.0
func.func @doubled(%a: memref<32xf32>, %b: memref<16xf32>) {
  affine.for %i = 0 to 32 {
    %x = affine.load %a[%i] : memref<32xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %a[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<32xf32>
    affine.store %x, %b[%i] : memref<16xf32>
  }
  return
}
