// mlir-opt dead-iter-arg.src.mlir --pass-pipeline='builtin.module(remove-dead-values)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/dead-iter-arg.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/dead-iter-arg.src.mlir %S/dead-iter-arg.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @dead

module {
  func.func @dead(%arg0: memref<16xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = ub.poison : i32
    %1 = scf.for %arg1 = %c0 to %c16 step %c1 iter_args(%arg2 = %c0_i32) -> (i32) {
      %2 = memref.load %arg0[%arg1] : memref<16xi32>
      %3 = arith.addi %arg2, %2 : i32
      %4 = ub.poison : i32
      scf.yield %3 : i32
    }
    return %1 : i32
  }
}
