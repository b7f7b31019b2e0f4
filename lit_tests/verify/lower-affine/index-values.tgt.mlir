// mlir-opt index-values.src.mlir --lower-affine
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/index-values.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %S/index-values.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %S/index-values.src.mlir %S/index-values.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @tiles

module {
  func.func @tiles(%arg0: index, %arg1: index, %arg2: memref<?xindex>) -> index {
    %c3 = arith.constant 3 : index
    %0 = arith.muli %arg0, %c3 overflow<nsw> : index
    %1 = arith.addi %0, %arg1 : index
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %2 = arith.cmpi slt, %1, %c0 : index
    %3 = arith.subi %c-1, %1 : index
    %4 = arith.select %2, %3, %1 : index
    %5 = arith.divsi %4, %c16 : index
    %6 = arith.subi %c-1, %5 : index
    %7 = arith.select %2, %6, %5 : index
    %c0_0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0_0 to %arg0 step %c1 {
      %c-16 = arith.constant -16 : index
      %8 = arith.muli %arg3, %c-16 overflow<nsw> : index
      %9 = arith.addi %8, %arg1 : index
      %c16_1 = arith.constant 16 : index
      %10 = arith.minsi %9, %c16_1 : index
      memref.store %10, %arg2[%arg3] : memref<?xindex>
    }
    return %7 : index
  }
}

