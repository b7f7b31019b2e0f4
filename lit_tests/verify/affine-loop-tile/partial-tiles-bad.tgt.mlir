// mlir-opt partial-tiles.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))', then changed by hand
// Verdict: not equivalent
// Changed: line 11, the last row is left out; it was
//   #map1 = affine_map<(d0) -> (d0 + 4, 14)>
// RUN: %exits 1 hecv check %S/partial-tiles.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @transpose
// SELF: {{^}}equivalent: @transpose

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 13)>
#map2 = affine_map<(d0) -> (d0 + 4, 10)>
module {
  func.func @transpose(%arg0: memref<10x14xf32>, %arg1: memref<14x10xf32>) {
    affine.for %arg2 = 0 to 14 step 4 {
      affine.for %arg3 = 0 to 10 step 4 {
        affine.for %arg4 = #map(%arg2) to min #map1(%arg2) {
          affine.for %arg5 = #map(%arg3) to min #map2(%arg3) {
            %0 = affine.load %arg0[%arg5, %arg4] : memref<10x14xf32>
            affine.store %0, %arg1[%arg4, %arg5] : memref<14x10xf32>
          }
        }
      }
    }
    return
  }
}
