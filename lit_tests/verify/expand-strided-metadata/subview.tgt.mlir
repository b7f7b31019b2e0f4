// mlir-opt subview.src.mlir --pass-pipeline='builtin.module(expand-strided-metadata)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/subview.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/subview.src.mlir %S/subview.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @block

#map = affine_map<()[s0] -> (s0 * 8 + 2)>
module {
  func.func @block(%arg0: memref<8x8xf32>, %arg1: index) {
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<8x8xf32> -> memref<f32>, index, index, index, index, index
    %0 = affine.apply #map()[%arg1]
    %reinterpret_cast = memref.reinterpret_cast %base_buffer to offset: [%0], sizes: [4, 4], strides: [8, 1] : memref<f32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
    affine.for %arg2 = 0 to 4 {
      affine.for %arg3 = 0 to 4 {
        %1 = affine.load %reinterpret_cast[%arg2, %arg3] : memref<4x4xf32, strided<[8, 1], offset: ?>>
        %2 = arith.addf %1, %1 : f32
        affine.store %2, %reinterpret_cast[%arg2, %arg3] : memref<4x4xf32, strided<[8, 1], offset: ?>>
      }
    }
    return
  }
}
