// mlir-opt invariant-load.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/invariant-load.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/invariant-load.src.mlir %S/invariant-load.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @axpy

module {
  func.func @axpy(%arg0: memref<8x8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      %0 = affine.load %arg1[%arg3] : memref<8xf32>
      %1 = arith.mulf %0, %arg2 : f32
      affine.for %arg4 = 0 to 8 {
        %2 = affine.load %arg0[%arg3, %arg4] : memref<8x8xf32>
        %3 = arith.addf %2, %1 : f32
        affine.store %3, %arg0[%arg3, %arg4] : memref<8x8xf32>
      }
    }
    return
  }
}
