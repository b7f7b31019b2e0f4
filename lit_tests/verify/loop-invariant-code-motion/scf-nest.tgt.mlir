// mlir-opt scf-nest.src.mlir --pass-pipeline='builtin.module(func.func(loop-invariant-code-motion))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/scf-nest.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/scf-nest.src.mlir %S/scf-nest.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @invariant

module {
  func.func @invariant(%arg0: memref<?xf32>, %arg1: f32, %arg2: f32, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.mulf %arg1, %arg2 : f32
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
