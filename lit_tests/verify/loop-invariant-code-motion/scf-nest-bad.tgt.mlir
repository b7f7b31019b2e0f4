// mlir-opt scf-nest.src.mlir --pass-pipeline='builtin.module(func.func(loop-invariant-code-motion))', then changed by hand
// Verdict: not equivalent
// Changed: line 14, one factor is the other; it was
//   %0 = arith.mulf %arg1, %arg2 : f32
// RUN: %exits 1 hecv check %S/scf-nest.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @invariant
// SELF: {{^}}equivalent: @invariant

module {
  func.func @invariant(%arg0: memref<?xf32>, %arg1: f32, %arg2: f32, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.mulf %arg1, %arg1 : f32
    scf.for %arg4 = %c0 to %arg3 step %c1 {
      scf.for %arg5 = %c0 to %arg4 step %c1 {
        %1 = memref.load %arg0[%arg5] : memref<?xf32>
        %2 = arith.addf %1, %0 : f32
        memref.store %2, %arg0[%arg5] : memref<?xf32>
      }
    }
    return
  }
}
