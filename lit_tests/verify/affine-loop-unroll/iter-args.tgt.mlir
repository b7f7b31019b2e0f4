// mlir-opt iter-args.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/iter-args.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/iter-args.src.mlir %S/iter-args.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @sum

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @sum(%arg0: memref<9xf32>) -> f32 {
    %c8 = arith.constant 8 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg1 = 0 to 8 step 2 iter_args(%arg2 = %cst) -> (f32) {
      %3 = affine.load %arg0[%arg1] : memref<9xf32>
      %4 = arith.addf %arg2, %3 : f32
      %5 = affine.apply #map(%arg1)
      %6 = affine.load %arg0[%5] : memref<9xf32>
      %7 = arith.addf %4, %6 : f32
      affine.yield %7 : f32
    }
    %1 = affine.load %arg0[%c8] : memref<9xf32>
    %2 = arith.addf %0, %1 : f32
    return %2 : f32
  }
}
