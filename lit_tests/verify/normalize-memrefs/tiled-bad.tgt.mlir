// mlir-opt tiled.src.mlir --pass-pipeline='builtin.module(normalize-memrefs)', then changed by hand
// Verdict: not equivalent
// Changed: line 22, within a tile, rows and columns are exchanged; it was
//   %0 = affine.load %alloc[%arg3 floordiv 4, %arg2 floordiv 4, %arg3 mod 4, %arg2 mod 4] : memref<2x2x4x4xf32>
// RUN: %exits 1 hecv check %S/tiled.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @tiles
// SELF: {{^}}equivalent: @tiles

module {
  func.func @tiles(%arg0: memref<8x8xf32>, %arg1: memref<8x8xf32>) {
    %alloc = memref.alloc() : memref<2x2x4x4xf32>
    affine.for %arg2 = 0 to 8 {
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<8x8xf32>
        %1 = arith.mulf %0, %0 : f32
        affine.store %1, %alloc[%arg2 floordiv 4, %arg3 floordiv 4, %arg2 mod 4, %arg3 mod 4] : memref<2x2x4x4xf32>
      }
    }
    affine.for %arg2 = 0 to 8 {
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %alloc[%arg3 floordiv 4, %arg2 floordiv 4, %arg2 mod 4, %arg3 mod 4] : memref<2x2x4x4xf32>
        affine.store %0, %arg1[%arg2, %arg3] : memref<8x8xf32>
      }
    }
    memref.dealloc %alloc : memref<2x2x4x4xf32>
    return
  }
}
