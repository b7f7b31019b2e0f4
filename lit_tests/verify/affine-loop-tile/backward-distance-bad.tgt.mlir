// mlir-opt backward-distance.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the tile on the left reads what the tile on the right has yet to write
// RUN: %exits 1 hecv check %S/backward-distance.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/backward-distance.src.mlir %S/backward-distance.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sweep
// SELF: {{^}}equivalent: @sweep

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4)>
module {
  func.func @sweep(%arg0: memref<9x9xf32>, %arg1: f32) {
    affine.for %arg2 = 1 to 9 step 4 {
      affine.for %arg3 = 0 to 8 step 4 {
        affine.for %arg4 = #map(%arg2) to #map1(%arg2) {
          affine.for %arg5 = #map(%arg3) to #map1(%arg3) {
            %0 = affine.load %arg0[%arg4 - 1, %arg5 + 1] : memref<9x9xf32>
            %1 = arith.addf %0, %arg1 : f32
            affine.store %1, %arg0[%arg4, %arg5] : memref<9x9xf32>
          }
        }
      }
    }
    return
  }
}
