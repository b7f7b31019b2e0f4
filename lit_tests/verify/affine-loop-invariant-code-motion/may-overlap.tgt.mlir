// mlir-opt may-overlap.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))'
// Verdict: equivalent; with --alias may, the load that is moved over stores to another argument is wrong
// RUN: %exits 0 hecv check %S/may-overlap.src.mlir %s
// RUN: %exits 1 hecv check --alias may %S/may-overlap.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check --alias may %s %s
// CHECK: {{^}}not equivalent: @past_another
// CHECK: note: both were run on this input by the interpreter and by MLIR's JIT
// CHECK: {{^}}equivalent: @past_none

module {
  func.func @past_another(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    %0 = affine.load %arg0[2] : memref<8xf32>
    %1 = arith.addf %0, %arg2 : f32
    affine.for %arg3 = 0 to 8 {
      affine.store %1, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
  func.func @past_none(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) -> f32 {
    affine.for %arg3 = 0 to 8 {
      affine.store %arg2, %arg1[%arg3] : memref<8xf32>
    }
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.load %arg0[2] : memref<8xf32>
    %1 = affine.for %arg3 = 0 to 8 iter_args(%arg4 = %cst) -> (f32) {
      %2 = arith.addf %arg4, %0 : f32
      affine.yield %2 : f32
    }
    return %1 : f32
  }
}
