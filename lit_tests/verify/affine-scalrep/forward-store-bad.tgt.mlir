// mlir-opt forward-store.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))', then changed by hand
// Verdict: not equivalent
// Changed: line 16, the value is the one from before the store; it was
//   %2 = arith.mulf %1, %0 : f32
// RUN: %exits 1 hecv check %S/forward-store.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @forward
// SELF: {{^}}equivalent: @forward

module {
  func.func @forward(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: memref<8xf32>, %arg3: f32) {
    affine.for %arg4 = 0 to 8 {
      %0 = affine.load %arg0[%arg4] : memref<8xf32>
      %1 = arith.addf %0, %arg3 : f32
      affine.store %1, %arg1[%arg4] : memref<8xf32>
      %2 = arith.mulf %0, %0 : f32
      affine.store %2, %arg2[%arg4] : memref<8xf32>
    }
    return
  }
}
