// mlir-opt sets.src.mlir --pass-pipeline='builtin.module(func.func(affine-simplify-structures))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/sets.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/sets.src.mlir %S/sets.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @sets

#set = affine_set<(d0) : (d0 - 2 >= 0, -d0 + 7 >= 0)>
module {
  func.func @sets(%arg0: memref<10xf32>, %arg1: f32, %arg2: f32) {
    affine.for %arg3 = 0 to 10 {
      affine.if #set(%arg3) {
        affine.store %arg1, %arg0[%arg3] : memref<10xf32>
      }
      %0 = affine.load %arg0[%arg3] : memref<10xf32>
      %1 = arith.addf %0, %arg1 : f32
      affine.store %1, %arg0[%arg3] : memref<10xf32>
      %2 = affine.load %arg0[%arg3] : memref<10xf32>
      %3 = arith.mulf %2, %arg2 : f32
      affine.store %3, %arg0[%arg3] : memref<10xf32>
    }
    return
  }
}
