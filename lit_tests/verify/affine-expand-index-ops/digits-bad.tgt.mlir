// mlir-opt digits.src.mlir --affine-expand-index-ops, then changed by hand
// Verdict: not equivalent
// Changed: line 30, the second digit instead of the last; it was
//   %14 = arith.addi %13, %9 overflow<nsw> : index
// RUN: %exits 1 hecv check %S/digits.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @digits
// SELF: {{^}}equivalent: @digits

module {
  func.func @digits(%arg0: memref<4x8x16xf32>, %arg1: memref<512xf32>) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c16 = arith.constant 16 : index
    affine.for %arg2 = 0 to 512 {
      %0 = arith.floordivsi %arg2, %c128 : index
      %1 = arith.remsi %arg2, %c128 : index
      %2 = arith.cmpi slt, %1, %c0 : index
      %3 = arith.addi %1, %c128 overflow<nsw> : index
      %4 = arith.select %2, %3, %1 : index
      %5 = arith.divsi %4, %c16 : index
      %6 = arith.remsi %arg2, %c16 : index
      %7 = arith.cmpi slt, %6, %c0 : index
      %8 = arith.addi %6, %c16 overflow<nsw> : index
      %9 = arith.select %7, %8, %6 : index
      %10 = memref.load %arg0[%0, %5, %9] : memref<4x8x16xf32>
      %11 = arith.muli %0, %c128 overflow<nsw> : index
      %12 = arith.muli %5, %c16 overflow<nsw> : index
      %13 = arith.addi %11, %12 overflow<nsw> : index
      %14 = arith.addi %13, %5 overflow<nsw> : index
      memref.store %10, %arg1[%14] : memref<512xf32>
    }
    return
  }
}
