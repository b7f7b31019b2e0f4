// mlir-opt globals.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/globals.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/globals.src.mlir %S/globals.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @weigh

module {
  memref.global "private" constant @weights : memref<4xf32> = dense<[1.000000e+00, 5.000000e-01, 2.500000e-01, 1.250000e-01]>
  memref.global "private" @sum : memref<1xf32> = dense<0.000000e+00>
  func.func @weigh(%arg0: memref<4xf32>, %arg1: memref<4xf32>) {
    %0 = memref.get_global @weights : memref<4xf32>
    %1 = memref.get_global @sum : memref<1xf32>
    affine.for %arg2 = 0 to 4 {
      %2 = affine.load %arg0[%arg2] : memref<4xf32>
      %3 = affine.load %0[%arg2] : memref<4xf32>
      %4 = arith.mulf %2, %3 : f32
      affine.store %4, %1[0] : memref<1xf32>
      affine.store %4, %arg1[%arg2] : memref<4xf32>
    }
    return
  }
}
