// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))': equivalent
// RUN: %exits 0 hecv check %S/indirect.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 3 hecv check %S/indirect.src.mlir %s --engine theorems --no-dynamic-rules | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @f
// WITHOUT: {{^}}unknown: @f

#map = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<?xf32>, %arg1: memref<?xindex>, %arg2: memref<?xf32>) {
    %c99 = arith.constant 99 : index
    affine.for %arg3 = 3 to 99 step 4 {
      %4 = memref.load %arg1[%arg3] : memref<?xindex>
      %5 = memref.load %arg0[%arg3] : memref<?xf32>
      %6 = memref.load %arg2[%4] : memref<?xf32>
      %7 = arith.addf %6, %5 : f32
      memref.store %7, %arg2[%4] : memref<?xf32>
      %8 = affine.apply #map(%arg3)
      %9 = memref.load %arg1[%8] : memref<?xindex>
      %10 = memref.load %arg0[%8] : memref<?xf32>
      %11 = memref.load %arg2[%9] : memref<?xf32>
      %12 = arith.addf %11, %10 : f32
      memref.store %12, %arg2[%9] : memref<?xf32>
    }
    %0 = memref.load %arg1[%c99] : memref<?xindex>
    %1 = memref.load %arg0[%c99] : memref<?xf32>
    %2 = memref.load %arg2[%0] : memref<?xf32>
    %3 = arith.addf %2, %1 : f32
    memref.store %3, %arg2[%0] : memref<?xf32>
    return
  }
}

