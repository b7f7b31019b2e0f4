// mlir-opt narrow.src.mlir --pass-pipeline='builtin.module(func.func(arith-int-range-narrowing{int-bitwidths-supported=8,16,32}))', then changed by hand
// Verdict: not equivalent
// Changed: line 19, the product is taken as signed; it was
//   %4 = arith.extui %3 : i8 to i32
// RUN: %exits 1 hecv check %S/narrow.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @narrow
// SELF: {{^}}equivalent: @narrow

module {
  func.func @narrow(%arg0: memref<16xi32>) {
    %c15_i8 = arith.constant 15 : i8
    %c15_i32 = arith.constant 15 : i32
    affine.for %arg1 = 0 to 16 {
      %0 = affine.load %arg0[%arg1] : memref<16xi32>
      %1 = arith.andi %0, %c15_i32 : i32
      %2 = arith.trunci %1 : i32 to i8
      %3 = arith.muli %2, %c15_i8 : i8
      %4 = arith.extsi %3 : i8 to i32
      affine.store %4, %arg0[%arg1] : memref<16xi32>
    }
    return
  }
}
