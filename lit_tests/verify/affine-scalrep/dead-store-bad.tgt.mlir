// mlir-opt dead-store.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))', then changed by hand
// Verdict: not equivalent
// Changed: line 15, the store that is alive went, and the dead one stayed; it was
//   affine.store %1, %arg1[%arg3] : memref<8xf32>
// RUN: %exits 1 hecv check %S/dead-store.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @twice
// SELF: {{^}}equivalent: @twice

module {
  func.func @twice(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      %0 = affine.load %arg0[%arg3] : memref<8xf32>
      %1 = arith.addf %0, %arg2 : f32
      affine.store %arg2, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
}
