// mlir-opt separate.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=3 separate=true}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/separate.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/separate.src.mlir %S/separate.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @fill

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 3)>
#map2 = affine_map<(d0)[s0] -> (d0 + 3, s0)>
#set = affine_set<(d0)[s0] : (-d0 + s0 - 3 >= 0)>
module {
  func.func @fill(%arg0: memref<?xi32>, %arg1: i32) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    affine.for %arg2 = 0 to %dim step 3 {
      affine.if #set(%arg2)[%dim] {
        affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
          %0 = affine.load %arg0[%arg3] : memref<?xi32>
          %1 = arith.addi %0, %arg1 : i32
          affine.store %1, %arg0[%arg3] : memref<?xi32>
        }
      } else {
        affine.for %arg3 = #map(%arg2) to min #map2(%arg2)[%dim] {
          %0 = affine.load %arg0[%arg3] : memref<?xi32>
          %1 = arith.addi %0, %arg1 : i32
          affine.store %1, %arg0[%arg3] : memref<?xi32>
        }
      }
    }
    return
  }
}
