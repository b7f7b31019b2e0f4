// mlir-opt dot-products.src.mlir '--pass-pipeline=builtin.module(func.func(affine-super-vectorize{virtual-vector-size=8 vectorize-reductions=true},lower-affine))'
// Verdict: refines
// RUN: %exits 0 hecv check %S/dot-products.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/dot-products.src.mlir %S/dot-products.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}refines: @dot
// CHECK-DAG: {{^}}refines: @rows
// SELF-DAG: {{^}}equivalent: @dot
// SELF-DAG: {{^}}equivalent: @rows

module {
  func.func @dot(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: index) -> i32 {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0> : vector<8xi32>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %0 = scf.for %arg3 = %c0 to %arg2 step %c8 iter_args(%arg4 = %cst) -> (vector<8xi32>) {
      %c-1 = arith.constant -1 : index
      %2 = arith.muli %arg3, %c-1 overflow<nsw> : index
      %3 = arith.addi %2, %arg2 : index
      %4 = vector.create_mask %3 : vector<8xi1>
      %5 = ub.poison : i32
      %6 = vector.transfer_read %arg0[%arg3], %5 : memref<?xi32>, vector<8xi32>
      %7 = ub.poison : i32
      %8 = vector.transfer_read %arg1[%arg3], %7 : memref<?xi32>, vector<8xi32>
      %9 = arith.muli %6, %8 : vector<8xi32>
      %10 = arith.select %4, %9, %cst : vector<8xi1>, vector<8xi32>
      %11 = arith.addi %arg4, %10 : vector<8xi32>
      scf.yield %11 : vector<8xi32>
    }
    %1 = vector.reduction <add>, %0 : vector<8xi32> into i32
    return %1 : i32
  }
  func.func @rows(%arg0: memref<?x?xi32>, %arg1: memref<?xi32>, %arg2: memref<?xi32>, %arg3: index, %arg4: index) {
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg5 = %c0 to %arg3 step %c1 {
      %cst = arith.constant dense<0> : vector<8xi32>
      %c0_0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %0 = scf.for %arg6 = %c0_0 to %arg4 step %c8 iter_args(%arg7 = %cst) -> (vector<8xi32>) {
        %c-1 = arith.constant -1 : index
        %2 = arith.muli %arg6, %c-1 overflow<nsw> : index
        %3 = arith.addi %2, %arg4 : index
        %4 = vector.create_mask %3 : vector<8xi1>
        %5 = ub.poison : i32
        %6 = vector.transfer_read %arg0[%arg5, %arg6], %5 : memref<?x?xi32>, vector<8xi32>
        %7 = ub.poison : i32
        %8 = vector.transfer_read %arg1[%arg6], %7 : memref<?xi32>, vector<8xi32>
        %9 = arith.muli %6, %8 : vector<8xi32>
        %10 = arith.select %4, %9, %cst : vector<8xi1>, vector<8xi32>
        %11 = arith.addi %arg7, %10 : vector<8xi32>
        scf.yield %11 : vector<8xi32>
      }
      %1 = vector.reduction <add>, %0 : vector<8xi32> into i32
      memref.store %1, %arg2[%arg5] : memref<?xi32>
    }
    return
  }
}

