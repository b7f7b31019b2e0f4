// mlir-opt overlapping-writes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: each sum is spread instead of A[0]
// RUN: %exits 1 hecv check %S/overlapping-writes.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/overlapping-writes.src.mlir %S/overlapping-writes.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @spread
// SELF: {{^}}equivalent: @spread

module {
  func.func @spread(%arg0: memref<11xi32>) {
    %c1_i32 = arith.constant 1 : i32
    affine.for %arg1 = 0 to 10 {
      %0 = affine.load %arg0[%arg1] : memref<11xi32>
      affine.store %0, %arg0[%arg1 + 1] : memref<11xi32>
      %1 = affine.load %arg0[%arg1 + 1] : memref<11xi32>
      %2 = arith.addi %1, %c1_i32 : i32
      affine.store %2, %arg0[%arg1 + 1] : memref<11xi32>
    }
    return
  }
}
