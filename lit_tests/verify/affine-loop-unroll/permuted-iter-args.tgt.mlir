// mlir-opt permuted-iter-args.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))', then corrected by hand
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/permuted-iter-args.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @swap

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @swap(%arg0: memref<4xi32>, %arg1: i32, %arg2: i32) {
    %0:2 = affine.for %arg3 = 0 to 4 step 2 iter_args(%arg4 = %arg1, %arg5 = %arg2) -> (i32, i32) {
      affine.store %arg4, %arg0[%arg3] : memref<4xi32>
      %1 = affine.apply #map(%arg3)
      affine.store %arg5, %arg0[%1] : memref<4xi32>
      affine.yield %arg4, %arg5 : i32, i32
    }
    return
  }
}

