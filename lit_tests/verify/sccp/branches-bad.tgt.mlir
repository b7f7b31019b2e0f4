// mlir-opt branches.src.mlir --pass-pipeline='builtin.module(sccp,canonicalize)', then changed by hand
// Verdict: not equivalent
// Changed: line 12, the sum is wrong; it was
//   %c3_i32 = arith.constant 3 : i32
// RUN: %exits 1 hecv check %S/branches.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @branches
// SELF: {{^}}equivalent: @branches

module {
  func.func @branches(%arg0: memref<8xi32>) {
    %c3_i32 = arith.constant 4 : i32
    affine.for %arg1 = 0 to 8 {
      affine.store %c3_i32, %arg0[%arg1] : memref<8xi32>
    }
    return
  }
}
