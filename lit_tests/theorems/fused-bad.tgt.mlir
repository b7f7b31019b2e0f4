// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-fusion,affine-loop-unroll-jam{unroll-jam-factor=4}))', then changed: not equivalent
// `(d0 + 2)` became `(d0 + 1)`: the third copy is a second second copy
// RUN: %exits 1 hecv check %S/fused.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<96x100xf32>, %arg1: memref<96x100xf32>) {
    affine.for %arg2 = 0 to 96 step 4 {
      affine.for %arg3 = 0 to 100 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<96x100xf32>
        affine.store %0, %arg1[%arg2, %arg3] : memref<96x100xf32>
        %1 = affine.load %arg1[%arg2, %arg3] : memref<96x100xf32>
        %2 = arith.mulf %1, %1 : f32
        affine.store %2, %arg1[%arg2, %arg3] : memref<96x100xf32>
        %3 = affine.apply #map(%arg2)
        %4 = affine.load %arg0[%3, %arg3] : memref<96x100xf32>
        affine.store %4, %arg1[%3, %arg3] : memref<96x100xf32>
        %5 = affine.load %arg1[%3, %arg3] : memref<96x100xf32>
        %6 = arith.mulf %5, %5 : f32
        affine.store %6, %arg1[%3, %arg3] : memref<96x100xf32>
        %7 = affine.apply #map1(%arg2)
        %8 = affine.load %arg0[%7, %arg3] : memref<96x100xf32>
        affine.store %8, %arg1[%7, %arg3] : memref<96x100xf32>
        %9 = affine.load %arg1[%7, %arg3] : memref<96x100xf32>
        %10 = arith.mulf %9, %9 : f32
        affine.store %10, %arg1[%7, %arg3] : memref<96x100xf32>
        %11 = affine.apply #map2(%arg2)
        %12 = affine.load %arg0[%11, %arg3] : memref<96x100xf32>
        affine.store %12, %arg1[%11, %arg3] : memref<96x100xf32>
        %13 = affine.load %arg1[%11, %arg3] : memref<96x100xf32>
        %14 = arith.mulf %13, %13 : f32
        affine.store %14, %arg1[%11, %arg3] : memref<96x100xf32>
      }
    }
    return
  }
}

