// mlir-opt may-overlap.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))'
// Verdict: equivalent; with --alias may, tiles are wrong
// RUN: %exits 0 hecv check %S/may-overlap.src.mlir %s
// RUN: %exits 1 hecv check --alias may %S/may-overlap.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @strips
// CHECK: {{^}}not equivalent: @tiles
// CHECK: note: both were run on this input by the interpreter and by MLIR's JIT

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map2 = affine_map<(d0) -> (d0 + 4)>
module {
  func.func @strips(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: f32) {
    affine.for %arg4 = 0 to %arg2 step 4 {
      affine.for %arg5 = #map(%arg4) to min #map1(%arg4)[%arg2] {
        %0 = affine.load %arg0[%arg5] : memref<?xf32>
        %1 = arith.mulf %0, %arg3 : f32
        affine.store %1, %arg1[%arg5] : memref<?xf32>
      }
    }
    return
  }
  func.func @tiles(%arg0: memref<8x8xf32>, %arg1: memref<8x8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 step 4 {
      affine.for %arg4 = 0 to 8 step 4 {
        affine.for %arg5 = #map(%arg3) to #map2(%arg3) {
          affine.for %arg6 = #map(%arg4) to #map2(%arg4) {
            %0 = affine.load %arg0[%arg5, %arg6] : memref<8x8xf32>
            %1 = arith.mulf %0, %arg2 : f32
            affine.store %1, %arg1[%arg5, %arg6] : memref<8x8xf32>
          }
        }
      }
    }
    return
  }
}
