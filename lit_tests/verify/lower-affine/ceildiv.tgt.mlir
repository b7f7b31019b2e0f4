// mlir-opt ceildiv.src.mlir --pass-pipeline='builtin.module(lower-affine,canonicalize,cse)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/ceildiv.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/ceildiv.src.mlir %S/ceildiv.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @tiles

module {
  func.func @tiles(%arg0: memref<?xf32>, %arg1: index) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %0 = arith.cmpi sle, %arg1, %c0 : index
    %1 = arith.subi %c0, %arg1 : index
    %2 = arith.subi %arg1, %c1 : index
    %3 = arith.select %0, %1, %2 : index
    %4 = arith.divsi %3, %c32 : index
    %5 = arith.subi %c0, %4 : index
    %6 = arith.addi %4, %c1 : index
    %7 = arith.select %0, %5, %6 : index
    scf.for %arg2 = %c0 to %7 step %c1 {
      %8 = arith.muli %arg2, %c32 overflow<nsw> : index
      %9 = arith.addi %8, %c32 : index
      %10 = arith.minsi %9, %arg1 : index
      scf.for %arg3 = %8 to %10 step %c1 {
        %11 = memref.load %arg0[%arg3] : memref<?xf32>
        %12 = arith.addf %11, %11 : f32
        memref.store %12, %arg0[%arg3] : memref<?xf32>
      }
    }
    return
  }
}
