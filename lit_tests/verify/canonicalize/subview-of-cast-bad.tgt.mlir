// mlir-opt subview-of-cast.src.mlir --pass-pipeline='builtin.module(canonicalize)', then changed by hand
// Verdict: not equivalent
// Changed: line 12, the offsets are exchanged; it was
//   %subview = memref.subview %arg0[2, 3] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 19>>
// RUN: %exits 1 hecv check %S/subview-of-cast.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @copied
// SELF: {{^}}equivalent: @copied

module {
  func.func @copied(%arg0: memref<8x8xf32>, %arg1: memref<4x4xf32>) {
    %subview = memref.subview %arg0[3, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 26>>
    memref.copy %subview, %arg1 : memref<4x4xf32, strided<[8, 1], offset: 26>> to memref<4x4xf32>
    return
  }
}
