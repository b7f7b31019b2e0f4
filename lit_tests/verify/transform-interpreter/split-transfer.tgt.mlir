// mlir-opt split-transfer.src.mlir --transform-interpreter, by the script split_transfer_full_partial with vector-transfer: a
// write goes to the memref or to a buffer, as a branch chooses
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/split-transfer.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/split-transfer.src.mlir %S/split-transfer.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @split
// SELF: {{^}}equivalent: @split

#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<()[s0] -> (s0 + 4)>
#map2 = affine_map<()[s0] -> (s0 + 5)>
module {
  func.func @split(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index, %arg3: f32, %arg4: vector<4x5xf32>) -> vector<5x4xf32> {
    %true = arith.constant true
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %alloca = memref.alloca() {alignment = 32 : i64} : memref<4x5xf32>
    %0 = vector.transfer_read %arg0[%arg1, %arg2], %arg3 {permutation_map = #map} : memref<?x?xf32>, vector<5x4xf32>
    %1 = affine.apply #map1()[%arg1]
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %2 = arith.cmpi sle, %1, %dim : index
    %3 = affine.apply #map2()[%arg2]
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    %4 = arith.cmpi sle, %3, %dim_0 : index
    %5 = arith.andi %2, %4 : i1
    %6:3 = scf.if %5 -> (memref<?x?xf32>, index, index) {
      scf.yield %arg0, %arg1, %arg2 : memref<?x?xf32>, index, index
    } else {
      %cast = memref.cast %alloca : memref<4x5xf32> to memref<?x?xf32>
      scf.yield %cast, %c0, %c0 : memref<?x?xf32>, index, index
    }
    vector.transfer_write %arg4, %6#0[%6#1, %6#2] {in_bounds = [true, true]} : vector<4x5xf32>, memref<?x?xf32>
    %7 = arith.xori %5, %true : i1
    scf.if %7 {
      %8 = vector.type_cast %alloca : memref<4x5xf32> to memref<vector<4x5xf32>>
      %9 = memref.load %8[] : memref<vector<4x5xf32>>
      vector.transfer_write %9, %arg0[%arg1, %arg2] : vector<4x5xf32>, memref<?x?xf32>
    }
    return %0 : vector<5x4xf32>
  }
}
