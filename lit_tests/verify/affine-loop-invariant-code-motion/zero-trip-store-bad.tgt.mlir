// mlir-opt zero-trip-store.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the store left a loop that may not run
// RUN: %exits 1 hecv check %S/zero-trip-store.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/zero-trip-store.src.mlir %S/zero-trip-store.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @mark
// SELF: {{^}}equivalent: @mark

module {
  func.func @mark(%arg0: memref<?xf32>, %arg1: memref<1xf32>, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    affine.store %arg2, %arg1[0] : memref<1xf32>
    affine.for %arg3 = 0 to %dim {
      affine.store %arg2, %arg0[%arg3] : memref<?xf32>
    }
    return
  }
}
