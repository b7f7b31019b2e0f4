// mlir-opt bits.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/bits.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/bits.src.mlir %S/bits.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @bits

module {
  func.func @bits(%arg0: memref<?xi32>, %arg1: i32) {
    %c0 = arith.constant 0 : index
    %c8_i32 = arith.constant 8 : i32
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[%arg2] : memref<?xi32>
      %1 = arith.shli %0, %c8_i32 : i32
      %2 = arith.shrui %1, %c8_i32 : i32
      affine.store %2, %arg0[%arg2] : memref<?xi32>
    }
    return
  }
}
