// mlir-opt unrolled.src.mlir --pass-pipeline='builtin.module(func.func(affine-super-vectorize{virtual-vector-size=8},affine-loop-unroll{unroll-factor=3}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/unrolled.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/unrolled.src.mlir %S/unrolled.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @clamp
// SELF: {{^}}equivalent: @clamp

#map = affine_map<(d0) -> (d0 + 8)>
#map1 = affine_map<(d0) -> (d0 + 16)>
module {
  func.func @clamp(%arg0: memref<100xi32>, %arg1: memref<100xi32>, %arg2: i32) {
    %c96 = arith.constant 96 : index
    %0 = vector.broadcast %arg2 : i32 to vector<8xi32>
    affine.for %arg3 = 0 to 96 step 24 {
      %6 = ub.poison : i32
      %7 = vector.transfer_read %arg0[%arg3], %6 : memref<100xi32>, vector<8xi32>
      %8 = arith.cmpi slt, %7, %0 : vector<8xi32>
      %9 = arith.select %8, %0, %7 : vector<8xi1>, vector<8xi32>
      %10 = arith.muli %9, %9 : vector<8xi32>
      vector.transfer_write %10, %arg1[%arg3] : vector<8xi32>, memref<100xi32>
      %11 = affine.apply #map(%arg3)
      %12 = ub.poison : i32
      %13 = vector.transfer_read %arg0[%11], %12 : memref<100xi32>, vector<8xi32>
      %14 = arith.cmpi slt, %13, %0 : vector<8xi32>
      %15 = arith.select %14, %0, %13 : vector<8xi1>, vector<8xi32>
      %16 = arith.muli %15, %15 : vector<8xi32>
      vector.transfer_write %16, %arg1[%11] : vector<8xi32>, memref<100xi32>
      %17 = affine.apply #map1(%arg3)
      %18 = ub.poison : i32
      %19 = vector.transfer_read %arg0[%17], %18 : memref<100xi32>, vector<8xi32>
      %20 = arith.cmpi slt, %19, %0 : vector<8xi32>
      %21 = arith.select %20, %0, %19 : vector<8xi1>, vector<8xi32>
      %22 = arith.muli %21, %21 : vector<8xi32>
      vector.transfer_write %22, %arg1[%17] : vector<8xi32>, memref<100xi32>
    }
    %1 = ub.poison : i32
    %2 = vector.transfer_read %arg0[%c96], %1 : memref<100xi32>, vector<8xi32>
    %3 = arith.cmpi slt, %2, %0 : vector<8xi32>
    %4 = arith.select %3, %0, %2 : vector<8xi1>, vector<8xi32>
    %5 = arith.muli %4, %4 : vector<8xi32>
    vector.transfer_write %5, %arg1[%c96] : vector<8xi32>, memref<100xi32>
    return
  }
}

