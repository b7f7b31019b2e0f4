// mlir-opt two-dimensions.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/two-dimensions.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/two-dimensions.src.mlir %S/two-dimensions.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @chain

module {
  func.func @chain(%arg0: memref<6x8xf32>, %arg1: memref<8x6xf32>) {
    %alloc = memref.alloc() : memref<6x8xf32>
    affine.for %arg2 = 0 to 8 {
      affine.for %arg3 = 0 to 6 {
        %0 = affine.load %arg0[%arg3, %arg2] : memref<6x8xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %alloc[%arg3, %arg2] : memref<6x8xf32>
        %2 = affine.load %alloc[%arg3, %arg2] : memref<6x8xf32>
        affine.store %2, %arg1[%arg2, %arg3] : memref<8x6xf32>
      }
    }
    memref.dealloc %alloc : memref<6x8xf32>
    return
  }
}
