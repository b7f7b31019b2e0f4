// mlir-opt offset.src.mlir --pass-pipeline='builtin.module(func.func(scf-for-loop-range-folding))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/offset.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/offset.src.mlir %S/offset.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @folding

module {
  func.func @folding(%arg0: memref<?xi32>, %arg1: index, %arg2: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %0 = arith.addi %c0, %arg1 : index
    %1 = arith.addi %arg2, %arg1 : index
    scf.for %arg3 = %0 to %1 step %c1 {
      %2 = memref.load %arg0[%arg3] : memref<?xi32>
      %3 = arith.addi %2, %c1_i32 : i32
      memref.store %3, %arg0[%arg3] : memref<?xi32>
    }
    return
  }
}
