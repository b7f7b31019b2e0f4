// mlir-opt divisions.src.mlir --pass-pipeline='builtin.module(func.func(arith-expand))', then changed by hand
// Verdict: not equivalent
// Changed: line 19, the sign test is turned round; it was
//   %4 = arith.cmpi slt, %0, %c0_i16 : i16
// RUN: %exits 1 hecv check %S/divisions.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @divisions
// SELF: {{^}}equivalent: @divisions

module {
  func.func @divisions(%arg0: memref<16xi16>, %arg1: memref<16xi16>, %arg2: memref<16xi16>) {
    %c7_i16 = arith.constant 7 : i16
    affine.for %arg3 = 0 to 16 {
      %0 = affine.load %arg0[%arg3] : memref<16xi16>
      %1 = arith.divsi %0, %c7_i16 : i16
      %2 = arith.muli %1, %c7_i16 : i16
      %3 = arith.cmpi ne, %0, %2 : i16
      %c0_i16 = arith.constant 0 : i16
      %4 = arith.cmpi sgt, %0, %c0_i16 : i16
      %5 = arith.cmpi slt, %c7_i16, %c0_i16 : i16
      %6 = arith.cmpi ne, %4, %5 : i1
      %7 = arith.andi %3, %6 : i1
      %c-1_i16 = arith.constant -1 : i16
      %8 = arith.addi %1, %c-1_i16 : i16
      %9 = arith.select %7, %8, %1 : i16
      %c0_i16_0 = arith.constant 0 : i16
      %c1_i16 = arith.constant 1 : i16
      %10 = arith.divsi %0, %c7_i16 : i16
      %11 = arith.muli %10, %c7_i16 : i16
      %12 = arith.cmpi ne, %0, %11 : i16
      %13 = arith.cmpi slt, %0, %c0_i16_0 : i16
      %14 = arith.cmpi slt, %c7_i16, %c0_i16_0 : i16
      %15 = arith.cmpi eq, %13, %14 : i1
      %16 = arith.andi %12, %15 : i1
      %17 = arith.addi %10, %c1_i16 : i16
      %18 = arith.select %16, %17, %10 : i16
      affine.store %9, %arg1[%arg3] : memref<16xi16>
      affine.store %18, %arg2[%arg3] : memref<16xi16>
    }
    return
  }
}
