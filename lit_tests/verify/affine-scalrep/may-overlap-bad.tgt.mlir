// mlir-opt may-overlap.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))', then changed by hand
// Verdict: not equivalent
// Changed: line 26, the value is forwarded past a store to %arg1; it was
//   %2 = arith.mulf %1, %arg2 : f32
// RUN: %exits 1 hecv check --alias may %S/may-overlap.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @past_another
// CHECK: note: both were run on this input by the interpreter and by MLIR's JIT

module {
  func.func @forward(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      %0 = affine.load %arg0[%arg3] : memref<8xf32>
      %1 = arith.addf %0, %arg2 : f32
      affine.store %1, %arg0[%arg3] : memref<8xf32>
      %2 = arith.mulf %1, %arg2 : f32
      affine.store %2, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
  func.func @past_another(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 7 {
      affine.store %arg2, %arg0[%arg3] : memref<8xf32>
      %0 = arith.addf %arg2, %arg2 : f32
      affine.store %0, %arg1[%arg3 + 1] : memref<8xf32>
      %1 = affine.load %arg0[%arg3] : memref<8xf32>
      %2 = arith.mulf %arg2, %arg2 : f32
      affine.store %2, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
}
