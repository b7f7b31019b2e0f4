// mlir-opt producer-consumer.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion))', then changed by hand
// Verdict: not equivalent
// Changed: line 13, the last iteration is left out; it was
//   affine.for %arg3 = 0 to 16 {
// RUN: %exits 1 hecv check %S/producer-consumer.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @square
// SELF: {{^}}equivalent: @square

module {
  func.func @square(%arg0: memref<16xf32>, %arg1: memref<16xf32>, %arg2: f32) {
    %alloc = memref.alloc() : memref<1xf32>
    affine.for %arg3 = 0 to 15 {
      %0 = affine.load %arg0[%arg3] : memref<16xf32>
      %1 = arith.mulf %0, %0 : f32
      affine.store %1, %alloc[0] : memref<1xf32>
      %2 = affine.load %alloc[0] : memref<1xf32>
      %3 = arith.addf %2, %arg2 : f32
      affine.store %3, %arg1[%arg3] : memref<16xf32>
    }
    return
  }
}
