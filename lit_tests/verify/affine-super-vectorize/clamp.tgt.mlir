// mlir-opt clamp.src.mlir --pass-pipeline='builtin.module(func.func(affine-super-vectorize{virtual-vector-size=8}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/clamp.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/clamp.src.mlir %S/clamp.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @clamp
// SELF: {{^}}equivalent: @clamp

module {
  func.func @clamp(%arg0: memref<100xi32>, %arg1: memref<100xi32>, %arg2: i32) {
    %0 = vector.broadcast %arg2 : i32 to vector<8xi32>
    affine.for %arg3 = 0 to 100 step 8 {
      %1 = ub.poison : i32
      %2 = vector.transfer_read %arg0[%arg3], %1 : memref<100xi32>, vector<8xi32>
      %3 = arith.cmpi slt, %2, %0 : vector<8xi32>
      %4 = arith.select %3, %0, %2 : vector<8xi1>, vector<8xi32>
      %5 = arith.muli %4, %4 : vector<8xi32>
      vector.transfer_write %5, %arg1[%arg3] : vector<8xi32>, memref<100xi32>
    }
    return
  }
}

