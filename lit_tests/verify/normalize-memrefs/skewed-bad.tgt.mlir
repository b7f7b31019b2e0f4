// mlir-opt skewed.src.mlir --pass-pipeline='builtin.module(normalize-memrefs)', then changed by hand
// Verdict: not equivalent
// Changed: line 12, here and below, the last row does not fit any more; it was
//   %alloc = memref.alloc() : memref<4x9xf32>
// RUN: %exits 1 hecv check %S/skewed.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @skewed
// SELF: {{^}}equivalent: @skewed

module {
  func.func @skewed(%arg0: f32, %arg1: memref<4x6xf32>) {
    %alloc = memref.alloc() : memref<4x8xf32>
    affine.for %arg2 = 0 to 4 {
      affine.for %arg3 = 0 to 6 {
        affine.store %arg0, %alloc[%arg2, %arg2 + %arg3] : memref<4x8xf32>
        %0 = affine.load %alloc[%arg2, %arg2 + %arg3] : memref<4x8xf32>
        affine.store %0, %arg1[%arg2, %arg3] : memref<4x6xf32>
      }
    }
    return
  }
}
