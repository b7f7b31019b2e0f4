// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))', then changed: unknown
// `arith.addf %7, %11` became `arith.addf %arg4, %11`: the second copy adds to the value that the first began with; random indices from memory are out of bounds, so no run tells
// RUN: %exits 3 hecv check %S/sum.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}unknown: @f
// SELF: {{^}}equivalent: @f

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @f(%arg0: memref<?xf32>, %arg1: memref<?xindex>, %arg2: memref<?xf32>) -> f32 {
    %c100 = arith.constant 100 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg3 = 0 to 100 step 2 iter_args(%arg4 = %cst) -> (f32) {
      %5 = memref.load %arg1[%arg3] : memref<?xindex>
      %6 = memref.load %arg0[%5] : memref<?xf32>
      %7 = arith.addf %arg4, %6 : f32
      %8 = arith.cmpf olt, %6, %7 : f32
      scf.if %8 {
        memref.store %7, %arg2[%5] : memref<?xf32>
      }
      %9 = affine.apply #map(%arg3)
      %10 = memref.load %arg1[%9] : memref<?xindex>
      %11 = memref.load %arg0[%10] : memref<?xf32>
      %12 = arith.addf %arg4, %11 : f32
      %13 = arith.cmpf olt, %11, %12 : f32
      scf.if %13 {
        memref.store %12, %arg2[%10] : memref<?xf32>
      }
      affine.yield %12 : f32
    }
    %1 = memref.load %arg1[%c100] : memref<?xindex>
    %2 = memref.load %arg0[%1] : memref<?xf32>
    %3 = arith.addf %0, %2 : f32
    %4 = arith.cmpf olt, %2, %3 : f32
    scf.if %4 {
      memref.store %3, %arg2[%1] : memref<?xf32>
    }
    return %3 : f32
  }
}

