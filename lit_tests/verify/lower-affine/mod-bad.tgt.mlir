// mlir-opt mod.src.mlir --pass-pipeline='builtin.module(lower-affine,canonicalize,cse)', then changed by hand
// Verdict: not equivalent
// Changed: line 23, 0 is corrected too, and leaves the array: it was; it was
//       %3 = arith.cmpi slt, %2, %c0 : index
// RUN: %exits 1 hecv check %S/mod.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @rotate
// SELF: {{^}}equivalent: @rotate

module {
  func.func @rotate(%arg0: memref<8xf32>, %arg1: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c-1 = arith.constant -1 : index
    %c3 = arith.constant 3 : index
    %c-20 = arith.constant -20 : index
    %c20 = arith.constant 20 : index
    %c1 = arith.constant 1 : index
    scf.for %arg2 = %c-20 to %c20 step %c1 {
      %0 = arith.muli %arg2, %c3 overflow<nsw> : index
      %1 = arith.addi %0, %c-1 : index
      %2 = arith.remsi %1, %c8 : index
      %3 = arith.cmpi sle, %2, %c0 : index
      %4 = arith.addi %2, %c8 : index
      %5 = arith.select %3, %4, %2 : index
      %6 = memref.load %arg0[%5] : memref<8xf32>
      %7 = arith.addi %arg2, %c20 : index
      memref.store %6, %arg1[%7] : memref<64xf32>
    }
    return
  }
}
