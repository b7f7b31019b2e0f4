// mlir-opt min-max.src.mlir --pass-pipeline='builtin.module(lower-affine)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/min-max.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/min-max.src.mlir %S/min-max.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @band

module {
  func.func @band(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %arg1 step %c1 {
      %c0_0 = arith.constant 0 : index
      %c-1 = arith.constant -1 : index
      %0 = arith.muli %arg2, %c-1 overflow<nsw> : index
      %1 = arith.addi %arg3, %0 : index
      %2 = arith.maxsi %c0_0, %1 : index
      %3 = arith.addi %arg3, %arg2 : index
      %c1_1 = arith.constant 1 : index
      %4 = arith.addi %3, %c1_1 : index
      %5 = arith.minsi %arg1, %4 : index
      %c1_2 = arith.constant 1 : index
      scf.for %arg4 = %2 to %5 step %c1_2 {
        %6 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
        %7 = arith.mulf %6, %6 : f32
        memref.store %7, %arg0[%arg3, %arg4] : memref<?x?xf32>
      }
    }
    return
  }
}
