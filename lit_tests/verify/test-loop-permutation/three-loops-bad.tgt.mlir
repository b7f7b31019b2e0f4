// mlir-opt three-loops.src.mlir --pass-pipeline='builtin.module(func.func(test-loop-permutation{permutation-map=2,0,1}))', then changed by hand
// Verdict: not equivalent
// Changed: line 15, a subscript is the other loop; it was
//   %0 = affine.load %arg0[%arg5, %arg4] : memref<12x10xf32>
// RUN: %exits 1 hecv check %S/three-loops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @gemm
// SELF: {{^}}equivalent: @gemm

module {
  func.func @gemm(%arg0: memref<12x10xf32>, %arg1: memref<10x14xf32>, %arg2: memref<12x14xf32>) {
    affine.for %arg3 = 0 to 14 {
      affine.for %arg4 = 0 to 10 {
        affine.for %arg5 = 0 to 12 {
          %0 = affine.load %arg0[%arg4, %arg4] : memref<12x10xf32>
          %1 = affine.load %arg1[%arg4, %arg3] : memref<10x14xf32>
          %2 = affine.load %arg2[%arg5, %arg3] : memref<12x14xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg5, %arg3] : memref<12x14xf32>
        }
      }
    }
    return
  }
}
