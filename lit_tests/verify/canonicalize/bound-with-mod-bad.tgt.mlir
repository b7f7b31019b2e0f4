// mlir-opt bound-with-mod.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the bound `i mod 2` becomes 1
// RUN: %exits 1 hecv check %S/bound-with-mod.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/bound-with-mod.src.mlir %S/bound-with-mod.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @odd
// CHECK: expected 0.0

module {
  func.func @odd(%arg0: memref<4xf64>, %arg1: f64) {
    affine.for %arg2 = 1 to 4 {
      affine.for %arg3 = 0 to 1 {
        affine.store %arg1, %arg0[%arg2] : memref<4xf64>
      }
    }
    return
  }
}

