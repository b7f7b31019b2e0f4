// mlir-opt transfers.src.mlir --convert-vector-to-scf
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/transfers.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/transfers.src.mlir %S/transfers.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}equivalent: @rows
// CHECK-DAG: {{^}}equivalent: @columns
// SELF-DAG: {{^}}equivalent: @rows
// SELF-DAG: {{^}}equivalent: @columns

#map = affine_map<(d0)[s0] -> (d0 + s0)>
module {
  func.func @rows(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index) {
    %cst = arith.constant dense<2.500000e+00> : vector<8xf32>
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 2.500000e+00 : f32
    %alloca = memref.alloca() : memref<vector<4x8xf32>>
    %alloca_1 = memref.alloca() : memref<vector<4x8xf32>>
    %0 = vector.type_cast %alloca : memref<vector<4x8xf32>> to memref<4xvector<8xf32>>
    scf.for %arg4 = %c0 to %c4 step %c1 {
      %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
      %3 = affine.apply #map(%arg4)[%arg2]
      %4 = arith.cmpi sgt, %dim, %3 : index
      scf.if %4 {
        %5 = affine.apply #map(%arg4)[%arg2]
        %6 = vector.transfer_read %arg0[%5, %arg3], %cst_0 : memref<?x?xf32>, vector<8xf32>
        memref.store %6, %0[%arg4] : memref<4xvector<8xf32>>
      } else {
        memref.store %cst, %0[%arg4] : memref<4xvector<8xf32>>
      }
    }
    %1 = memref.load %alloca[] : memref<vector<4x8xf32>>
    memref.store %1, %alloca_1[] : memref<vector<4x8xf32>>
    %2 = vector.type_cast %alloca_1 : memref<vector<4x8xf32>> to memref<4xvector<8xf32>>
    scf.for %arg4 = %c0 to %c4 step %c1 {
      %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
      %3 = affine.apply #map(%arg4)[%arg2]
      %4 = arith.cmpi sgt, %dim, %3 : index
      scf.if %4 {
        %5 = affine.apply #map(%arg4)[%arg2]
        %6 = memref.load %2[%arg4] : memref<4xvector<8xf32>>
        vector.transfer_write %6, %arg1[%5, %arg3] : vector<8xf32>, memref<?x?xf32>
      } else {
      }
    }
    return
  }
  func.func @columns(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index) {
    %cst = arith.constant dense<2.500000e+00> : vector<4xf32>
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 2.500000e+00 : f32
    %alloca = memref.alloca() : memref<vector<8x4xf32>>
    %alloca_1 = memref.alloca() : memref<vector<4x8xf32>>
    %0 = vector.type_cast %alloca : memref<vector<8x4xf32>> to memref<8xvector<4xf32>>
    scf.for %arg4 = %c0 to %c8 step %c1 {
      %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
      %4 = affine.apply #map(%arg4)[%arg2]
      %5 = arith.cmpi sgt, %dim, %4 : index
      scf.if %5 {
        %6 = affine.apply #map(%arg4)[%arg2]
        %7 = vector.transfer_read %arg0[%6, %arg3], %cst_0 : memref<?x?xf32>, vector<4xf32>
        memref.store %7, %0[%arg4] : memref<8xvector<4xf32>>
      } else {
        memref.store %cst, %0[%arg4] : memref<8xvector<4xf32>>
      }
    }
    %1 = memref.load %alloca[] : memref<vector<8x4xf32>>
    %2 = vector.transpose %1, [1, 0] : vector<8x4xf32> to vector<4x8xf32>
    memref.store %2, %alloca_1[] : memref<vector<4x8xf32>>
    %3 = vector.type_cast %alloca_1 : memref<vector<4x8xf32>> to memref<4xvector<8xf32>>
    scf.for %arg4 = %c0 to %c4 step %c1 {
      %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
      %4 = affine.apply #map(%arg4)[%arg2]
      %5 = arith.cmpi sgt, %dim, %4 : index
      scf.if %5 {
        %6 = affine.apply #map(%arg4)[%arg2]
        %7 = memref.load %3[%arg4] : memref<4xvector<8xf32>>
        vector.transfer_write %7, %arg1[%6, %arg3] : vector<8xf32>, memref<?x?xf32>
      } else {
      }
    }
    return
  }
}
