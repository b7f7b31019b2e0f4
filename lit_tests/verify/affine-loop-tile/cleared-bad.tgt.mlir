// mlir-opt cleared.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))', then changed by hand
// Verdict: not equivalent
// Changed: line 15, another value for the second array, added; line 21, where it is stored; it was
//   affine.store %cst, %arg1[%arg7, %arg6] : memref<?x?xf32>
// RUN: %exits 1 hecv check --alias may %S/cleared.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check --alias may %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @clear
// SELF: {{^}}equivalent: @clear

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
module {
  func.func @clear(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index) {
    %cst = arith.constant 0.000000e+00 : f32
    %one = arith.constant 1.000000e+00 : f32
    affine.for %arg4 = 0 to %arg2 step 4 {
      affine.for %arg5 = 0 to %arg3 step 4 {
        affine.for %arg6 = #map(%arg4) to min #map1(%arg4)[%arg2] {
          affine.for %arg7 = #map(%arg5) to min #map1(%arg5)[%arg3] {
            affine.store %cst, %arg0[%arg6, %arg7] : memref<?x?xf32>
            affine.store %one, %arg1[%arg7, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
    return
  }
}
