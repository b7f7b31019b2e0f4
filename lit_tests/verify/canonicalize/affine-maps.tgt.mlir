// mlir-opt affine-maps.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/affine-maps.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/affine-maps.src.mlir %S/affine-maps.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @compose

module {
  func.func @compose(%arg0: memref<20xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 4 {
      affine.for %arg3 = 0 to 1 {
        %0 = affine.load %arg0[%arg3 + %arg2 * 3 + 2] : memref<20xf32>
        %1 = arith.addf %0, %arg1 : f32
        affine.store %1, %arg0[%arg2 * 3 + 2] : memref<20xf32>
      }
    }
    return
  }
}
