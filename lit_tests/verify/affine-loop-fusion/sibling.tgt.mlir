// mlir-opt sibling.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion{mode=sibling}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/sibling.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/sibling.src.mlir %S/sibling.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @both

module {
  func.func @both(%arg0: memref<10xf32>, %arg1: memref<10xf32>, %arg2: memref<10xf32>, %arg3: f32) {
    affine.for %arg4 = 0 to 10 {
      %0 = affine.load %arg0[%arg4] : memref<10xf32>
      %1 = arith.addf %0, %arg3 : f32
      affine.store %1, %arg1[%arg4] : memref<10xf32>
      %2 = affine.load %arg0[%arg4] : memref<10xf32>
      %3 = arith.mulf %2, %arg3 : f32
      affine.store %3, %arg2[%arg4] : memref<10xf32>
    }
    return
  }
}
