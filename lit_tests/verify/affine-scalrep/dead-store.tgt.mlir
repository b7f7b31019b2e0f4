// mlir-opt dead-store.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/dead-store.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/dead-store.src.mlir %S/dead-store.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @twice

module {
  func.func @twice(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      %0 = affine.load %arg0[%arg3] : memref<8xf32>
      %1 = arith.addf %0, %arg2 : f32
      affine.store %1, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
}
