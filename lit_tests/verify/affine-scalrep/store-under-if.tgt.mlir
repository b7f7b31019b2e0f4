// mlir-opt store-under-if.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/store-under-if.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/store-under-if.src.mlir %S/store-under-if.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @clamp

#set = affine_set<(d0) : (d0 - 5 >= 0)>
module {
  func.func @clamp(%arg0: memref<12xf32>, %arg1: memref<12xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 12 {
      %0 = affine.load %arg0[%arg3] : memref<12xf32>
      affine.if #set(%arg3) {
        affine.store %arg2, %arg0[%arg3] : memref<12xf32>
      }
      %1 = affine.load %arg0[%arg3] : memref<12xf32>
      %2 = arith.addf %0, %1 : f32
      %3 = arith.mulf %2, %1 : f32
      affine.store %3, %arg1[%arg3] : memref<12xf32>
    }
    return
  }
}
