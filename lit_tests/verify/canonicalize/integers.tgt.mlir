// mlir-opt integers.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/integers.src.mlir %s | FileCheck %s
// RUN: %exits 3 hecv check %S/integers.src.mlir %s --no-static-laws | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %S/integers.src.mlir %S/integers.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @integers
// WITHOUT: {{^}}unknown: @integers

module {
  func.func @integers(%arg0: memref<?xi32>, %arg1: i32) {
    %c12_i32 = arith.constant 12 : i32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[%arg2] : memref<?xi32>
      %1 = arith.addi %0, %c12_i32 : i32
      affine.store %1, %arg0[%arg2] : memref<?xi32>
    }
    return
  }
}
