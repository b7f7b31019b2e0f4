// mlir-opt division.src.mlir --pass-pipeline='builtin.module(func.func(loop-invariant-code-motion))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/division.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/division.src.mlir %S/division.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @division

module {
  func.func @division(%arg0: memref<?xi32>, %arg1: i32, %arg2: i32, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.addi %arg1, %arg2 : i32
    scf.for %arg4 = %c0 to %arg3 step %c1 {
      %1 = arith.divsi %arg1, %arg2 : i32
      %2 = arith.addi %1, %0 : i32
      memref.store %2, %arg0[%arg4] : memref<?xi32>
    }
    return
  }
}
