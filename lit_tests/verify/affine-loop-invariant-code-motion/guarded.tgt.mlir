// mlir-opt guarded.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/guarded.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/guarded.src.mlir %S/guarded.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @guarded

#set = affine_set<(d0) : (d0 - 3 >= 0)>
module {
  func.func @guarded(%arg0: memref<8x8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      affine.if #set(%arg3) {
        affine.store %arg2, %arg1[%arg3] : memref<8xf32>
      }
      affine.for %arg4 = 0 to 8 {
        affine.store %arg2, %arg0[%arg3, %arg4] : memref<8x8xf32>
      }
    }
    return
  }
}
