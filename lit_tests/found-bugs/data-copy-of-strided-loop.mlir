// The loop accesses %m[1], %m[3], %m[5], %m[7]. `affine-data-copy-generate` copies the elements 1 to 8 of eight, into a
// buffer of seven.
//
// RUN: mlir-opt %s '-affine-data-copy-generate=generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops' -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @odd
// CHECK: source returns
// CHECK: target undefined: out of bounds: index 8 of dimension 0, extent 8
func.func @odd(%m: memref<8xf32>) {
  affine.for %i = 0 to 8 step 2 {
    affine.for %j = 0 to 8 step 2 {
      %x = affine.load %m[%i + 1] : memref<8xf32>
      affine.store %x, %m[%j + 1] : memref<8xf32>
    }
  }
  return
}
