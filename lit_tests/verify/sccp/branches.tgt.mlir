// mlir-opt branches.src.mlir --pass-pipeline='builtin.module(sccp,canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/branches.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/branches.src.mlir %S/branches.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @branches

module {
  func.func @branches(%arg0: memref<8xi32>) {
    %c3_i32 = arith.constant 3 : i32
    affine.for %arg1 = 0 to 8 {
      affine.store %c3_i32, %arg0[%arg1] : memref<8xi32>
    }
    return
  }
}
