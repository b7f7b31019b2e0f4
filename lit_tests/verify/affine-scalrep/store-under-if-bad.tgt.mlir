// mlir-opt store-under-if.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))', then changed by hand
// Verdict: not equivalent
// Changed: lines 17 and 18, the second load of A[i] became the first, across the affine.if
// RUN: %exits 1 hecv check %S/store-under-if.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @clamp
// SELF: {{^}}equivalent: @clamp

#set = affine_set<(d0) : (d0 - 5 >= 0)>
module {
  func.func @clamp(%arg0: memref<12xf32>, %arg1: memref<12xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 12 {
      %0 = affine.load %arg0[%arg3] : memref<12xf32>
      affine.if #set(%arg3) {
        affine.store %arg2, %arg0[%arg3] : memref<12xf32>
      }
      %2 = arith.addf %0, %0 : f32
      %3 = arith.mulf %2, %0 : f32
      affine.store %3, %arg1[%arg3] : memref<12xf32>
    }
    return
  }
}
