// mlir-opt bounds.src.mlir --pass-pipeline='builtin.module(func.func(affine-super-vectorize{virtual-vector-size=4 test-fastest-varying=0}))'
// Verdict: not equivalent, as the pass makes it: the last vector goes beyond the loop, though not beyond the row
// RUN: %exits 1 hecv check %S/bounds.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @update
// CHECK: {{^}}not equivalent: @triangle
// SELF: {{^}}equivalent: @update
#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @update(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: f32, %arg3: index, %arg4: index) {
    %0 = vector.broadcast %arg2 : f32 to vector<4xf32>
    affine.for %arg5 = 0 to %arg3 {
      affine.for %arg6 = 0 to %arg4 step 4 {
        %1 = ub.poison : f32
        %2 = vector.transfer_read %arg0[%arg5, %arg6], %1 : memref<?x?xf32>, vector<4xf32>
        %3 = ub.poison : f32
        %4 = vector.transfer_read %arg1[%arg6], %3 : memref<?xf32>, vector<4xf32>
        %5 = arith.mulf %4, %0 : vector<4xf32>
        %6 = arith.addf %2, %5 : vector<4xf32>
        vector.transfer_write %6, %arg0[%arg5, %arg6] : vector<4xf32>, memref<?x?xf32>
      }
    }
    return
  }
  func.func @triangle(%arg0: memref<16x16xi32>) {
    affine.for %arg1 = 0 to 16 {
      affine.for %arg2 = 0 to #map(%arg1) step 4 {
        %0 = ub.poison : i32
        %1 = vector.transfer_read %arg0[%arg1, %arg2], %0 : memref<16x16xi32>, vector<4xi32>
        %2 = arith.addi %1, %1 : vector<4xi32>
        vector.transfer_write %2, %arg0[%arg1, %arg2] : vector<4xi32>, memref<16x16xi32>
      }
    }
    return
  }
}

