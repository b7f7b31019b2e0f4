// mlir-opt ranges.src.mlir --pass-pipeline='builtin.module(arith-unsigned-when-equivalent)', then changed by hand
// Verdict: not equivalent
// Changed: line 18, the remainder is that of the whole element; it was
//   %3 = arith.remui %1, %c7_i32 : i32
// RUN: %exits 1 hecv check %S/ranges.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @ranges
// SELF: {{^}}equivalent: @ranges

module {
  func.func @ranges(%arg0: memref<32xi32>) {
    %c7_i32 = arith.constant 7 : i32
    %c15_i32 = arith.constant 15 : i32
    affine.for %arg1 = 0 to 32 {
      %0 = affine.load %arg0[%arg1] : memref<32xi32>
      %1 = arith.andi %0, %c15_i32 : i32
      %2 = arith.divui %1, %c7_i32 : i32
      %3 = arith.remui %0, %c7_i32 : i32
      %4 = arith.cmpi sgt, %2, %3 : i32
      %5 = arith.select %4, %2, %3 : i32
      affine.store %5, %arg0[%arg1] : memref<32xi32>
    }
    return
  }
}
