// mlir-opt tails.src.mlir '--affine-super-vectorize=virtual-vector-size=8 vectorize-reductions=true', then changed by hand
// Verdict: not equivalent
// Changed: line 12, a lane too many; it was
// #map = affine_map<(d0)[s0] -> (-d0 + s0)>
// Changed: line 16, another neutral element; it was
//     %cst = arith.constant dense<0> : vector<8xi32>
// RUN: %exits 1 hecv check %S/tails.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @sum
// CHECK-DAG: {{^}}not equivalent: @product
// CHECK-DAG: {{^}}not equivalent: @licensed

#map = affine_map<(d0)[s0] -> (-d0 + s0 + 1)>
module {
  func.func @sum(%arg0: memref<?xi32>, %arg1: index) -> i32 {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<1> : vector<8xi32>
    %0 = affine.for %arg2 = 0 to %arg1 step 8 iter_args(%arg3 = %cst) -> (vector<8xi32>) {
      %2 = affine.apply #map(%arg2)[%arg1]
      %3 = vector.create_mask %2 : vector<8xi1>
      %4 = ub.poison : i32
      %5 = vector.transfer_read %arg0[%arg2], %4 : memref<?xi32>, vector<8xi32>
      %6 = arith.select %3, %5, %cst : vector<8xi1>, vector<8xi32>
      %7 = arith.addi %arg3, %6 : vector<8xi32>
      affine.yield %7 : vector<8xi32>
    }
    %1 = vector.reduction <add>, %0 : vector<8xi32> into i32
    return %1 : i32
  }
  func.func @product(%arg0: memref<?xi32>, %arg1: index) -> i32 {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<1> : vector<8xi32>
    %0 = affine.for %arg2 = 0 to %arg1 step 8 iter_args(%arg3 = %cst) -> (vector<8xi32>) {
      %2 = affine.apply #map(%arg2)[%arg1]
      %3 = vector.create_mask %2 : vector<8xi1>
      %4 = ub.poison : i32
      %5 = vector.transfer_read %arg0[%arg2], %4 : memref<?xi32>, vector<8xi32>
      %6 = arith.select %3, %5, %cst : vector<8xi1>, vector<8xi32>
      %7 = arith.muli %arg3, %6 : vector<8xi32>
      affine.yield %7 : vector<8xi32>
    }
    %1 = vector.reduction <mul>, %0 : vector<8xi32> into i32
    return %1 : i32
  }
  func.func @licensed(%arg0: memref<?xf32>, %arg1: index) -> f32 {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : vector<8xf32>
    %0 = affine.for %arg2 = 0 to %arg1 step 8 iter_args(%arg3 = %cst_0) -> (vector<8xf32>) {
      %2 = affine.apply #map(%arg2)[%arg1]
      %3 = vector.create_mask %2 : vector<8xi1>
      %4 = ub.poison : f32
      %5 = vector.transfer_read %arg0[%arg2], %4 : memref<?xf32>, vector<8xf32>
      %6 = arith.select %3, %5, %cst_0 : vector<8xi1>, vector<8xf32>
      %7 = arith.addf %arg3, %6 fastmath<reassoc> : vector<8xf32>
      affine.yield %7 : vector<8xf32>
    }
    %1 = vector.reduction <add>, %0 : vector<8xf32> into f32
    return %1 : f32
  }
}
