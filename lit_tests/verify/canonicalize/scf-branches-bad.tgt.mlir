// mlir-opt scf-branches.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 14, the store stood after the loop, which reads A[0]
// RUN: %exits 1 hecv check %S/scf-branches.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @branches
// SELF: {{^}}equivalent: @branches

module {
  func.func @branches(%arg0: memref<8xf32>, %arg1: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    memref.store %arg1, %arg0[%c0] : memref<8xf32>
    %0 = scf.for %arg2 = %c0 to %c8 step %c1 iter_args(%arg3 = %arg1) -> (f32) {
      %1 = memref.load %arg0[%arg2] : memref<8xf32>
      %2 = arith.addf %arg3, %1 : f32
      scf.yield %2 : f32
    }
    return %0 : f32
  }
}
