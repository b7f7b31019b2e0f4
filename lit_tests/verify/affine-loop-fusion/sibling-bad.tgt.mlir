// mlir-opt sibling.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion{mode=sibling}))', then changed by hand
// Verdict: not equivalent
// Changed: lines 14 and 17, both stores are swapped
// RUN: %exits 1 hecv check %S/sibling.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @both
// SELF: {{^}}equivalent: @both

module {
  func.func @both(%arg0: memref<10xf32>, %arg1: memref<10xf32>, %arg2: memref<10xf32>, %arg3: f32) {
    affine.for %arg4 = 0 to 10 {
      %0 = affine.load %arg0[%arg4] : memref<10xf32>
      %1 = arith.addf %0, %arg3 : f32
      affine.store %1, %arg2[%arg4] : memref<10xf32>
      %2 = affine.load %arg0[%arg4] : memref<10xf32>
      %3 = arith.mulf %2, %arg3 : f32
      affine.store %3, %arg1[%arg4] : memref<10xf32>
    }
    return
  }
}
