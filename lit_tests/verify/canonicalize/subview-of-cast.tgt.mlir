// mlir-opt subview-of-cast.src.mlir --pass-pipeline='builtin.module(canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/subview-of-cast.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/subview-of-cast.src.mlir %S/subview-of-cast.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @copied

module {
  func.func @copied(%arg0: memref<8x8xf32>, %arg1: memref<4x4xf32>) {
    %subview = memref.subview %arg0[2, 3] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 19>>
    memref.copy %subview, %arg1 : memref<4x4xf32, strided<[8, 1], offset: 19>> to memref<4x4xf32>
    return
  }
}
