// mlir-opt written-memory.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))', then changed by hand
// Verdict: not equivalent
// Changed: line 14, the load stood in the loop, which writes A[0]
// RUN: %exits 1 hecv check %S/written-memory.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @first
// SELF: {{^}}equivalent: @first

module {
  func.func @first(%arg0: memref<?xf32>, %arg1: f32, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    %0 = arith.mulf %arg1, %arg2 : f32
    %1 = affine.load %arg0[0] : memref<?xf32>
    affine.for %arg3 = 0 to %dim {
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %arg0[%arg3] : memref<?xf32>
    }
    return
  }
}
