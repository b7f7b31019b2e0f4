// mlir-opt integer-sum.src.mlir --pass-pipeline='builtin.module(func.func(affine-super-vectorize{virtual-vector-size=8 vectorize-reductions=true}))', then changed by hand
// Verdict: not equivalent
// Changed: line 21, the lanes are not added; it was
//   %1 = vector.reduction <add>, %0 : vector<8xi32> into i32
// RUN: %exits 1 hecv check %S/integer-sum.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sum
// SELF: {{^}}equivalent: @sum

module {
  func.func @sum(%arg0: memref<64x32xi32>, %arg1: memref<64xi32>) {
    %c0_i32 = arith.constant 0 : i32
    affine.for %arg2 = 0 to 64 {
      %cst = arith.constant dense<0> : vector<8xi32>
      %0 = affine.for %arg3 = 0 to 32 step 8 iter_args(%arg4 = %cst) -> (vector<8xi32>) {
        %2 = ub.poison : i32
        %3 = vector.transfer_read %arg0[%arg2, %arg3], %2 : memref<64x32xi32>, vector<8xi32>
        %4 = arith.addi %arg4, %3 : vector<8xi32>
        affine.yield %4 : vector<8xi32>
      }
      %1 = vector.reduction <maxsi>, %0 : vector<8xi32> into i32
      affine.store %1, %arg1[%arg2] : memref<64xi32>
    }
    return
  }
}

