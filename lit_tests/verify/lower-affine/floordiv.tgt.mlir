// mlir-opt floordiv.src.mlir --pass-pipeline='builtin.module(lower-affine)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/floordiv.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/floordiv.src.mlir %S/floordiv.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @halve

module {
  func.func @halve(%arg0: memref<64xf32>, %arg1: memref<64xf32>) {
    %c-20 = arith.constant -20 : index
    %c20 = arith.constant 20 : index
    %c1 = arith.constant 1 : index
    scf.for %arg2 = %c-20 to %c20 step %c1 {
      %c-3 = arith.constant -3 : index
      %0 = arith.addi %arg2, %c-3 : index
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c-1 = arith.constant -1 : index
      %1 = arith.cmpi slt, %0, %c0 : index
      %2 = arith.subi %c-1, %0 : index
      %3 = arith.select %1, %2, %0 : index
      %4 = arith.divsi %3, %c4 : index
      %5 = arith.subi %c-1, %4 : index
      %6 = arith.select %1, %5, %4 : index
      %c20_0 = arith.constant 20 : index
      %7 = arith.addi %6, %c20_0 : index
      %8 = memref.load %arg0[%7] : memref<64xf32>
      %c20_1 = arith.constant 20 : index
      %9 = arith.addi %arg2, %c20_1 : index
      memref.store %8, %arg1[%9] : memref<64xf32>
    }
    return
  }
}
