// mlir-opt matmul.src.mlir --pass-pipeline='builtin.module(func.func(convert-linalg-to-affine-loops,affine-loop-tile{tile-size=4}))'
// Verdict: refines
// RUN: %exits 0 hecv check %S/matmul.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/matmul.src.mlir %S/matmul.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}refines: @mm
// SELF: {{^}}equivalent: @mm

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
module {
  func.func @mm(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    %dim_1 = memref.dim %arg1, %c1 : memref<?x?xf32>
    affine.for %arg3 = 0 to %dim step 4 {
      affine.for %arg4 = 0 to %dim_1 step 4 {
        affine.for %arg5 = 0 to %dim_0 step 4 {
          affine.for %arg6 = #map(%arg3) to min #map1(%arg3)[%dim] {
            affine.for %arg7 = #map(%arg4) to min #map1(%arg4)[%dim_1] {
              affine.for %arg8 = #map(%arg5) to min #map1(%arg5)[%dim_0] {
                %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
                %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
                %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
                %3 = arith.mulf %0, %1 : f32
                %4 = arith.addf %2, %3 : f32
                affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

