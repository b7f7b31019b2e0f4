// mlir-opt values.src.mlir --affine-expand-index-ops, then changed by hand
// Verdict: not equivalent
// Changed: line 51, the quotient of a product instead of the sum; it was
//   %2 = arith.floordivsi %1, %c4 : index
// RUN: %exits 1 hecv check %S/values.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @another_basis
// SELF: {{^}}equivalent: @another_basis

module {
  func.func @index(%arg0: index, %arg1: index, %arg2: index) -> index {
    %c5 = arith.constant 5 : index
    %c15 = arith.constant 15 : index
    %0 = arith.muli %arg0, %c15 overflow<nsw> : index
    %1 = arith.muli %arg1, %c5 overflow<nsw> : index
    %2 = arith.addi %0, %1 overflow<nsw> : index
    %3 = arith.addi %2, %arg2 overflow<nsw> : index
    return %3 : index
  }
  func.func @disjoint(%arg0: index, %arg1: index, %arg2: index) -> index {
    %c5 = arith.constant 5 : index
    %c15 = arith.constant 15 : index
    %0 = arith.muli %arg0, %c15 overflow<nsw> : index
    %1 = arith.muli %arg1, %c5 overflow<nsw> : index
    %2 = arith.addi %0, %1 overflow<nsw> : index
    %3 = arith.addi %2, %arg2 overflow<nsw> : index
    return %3 : index
  }
  func.func @digits(%arg0: index) -> (index, index, index) {
    %c5 = arith.constant 5 : index
    %c35 = arith.constant 35 : index
    %c0 = arith.constant 0 : index
    %0 = arith.floordivsi %arg0, %c35 : index
    %1 = arith.remsi %arg0, %c35 : index
    %2 = arith.cmpi slt, %1, %c0 : index
    %3 = arith.addi %1, %c35 overflow<nsw> : index
    %4 = arith.select %2, %3, %1 : index
    %5 = arith.divsi %4, %c5 : index
    %6 = arith.remsi %arg0, %c5 : index
    %7 = arith.cmpi slt, %6, %c0 : index
    %8 = arith.addi %6, %c5 overflow<nsw> : index
    %9 = arith.select %7, %8, %6 : index
    return %0, %5, %9 : index, index, index
  }
  func.func @another_basis(%arg0: index, %arg1: index) -> (index, index) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %0 = arith.muli %arg0, %c12 overflow<nsw> : index
    %1 = arith.addi %0, %arg1 overflow<nsw> : index
    %2 = arith.floordivsi %0, %c4 : index
    %3 = arith.remsi %1, %c4 : index
    %4 = arith.cmpi slt, %3, %c0 : index
    %5 = arith.addi %3, %c4 overflow<nsw> : index
    %6 = arith.select %4, %5, %3 : index
    return %2, %6 : index, index
  }
}
