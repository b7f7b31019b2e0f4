// mlir-opt dynamic.src.mlir --pass-pipeline='builtin.module(expand-strided-metadata)', then changed by hand
// Verdict: not equivalent
// Changed: line 20, the window no longer skips rows; it was
//   %reinterpret_cast = memref.reinterpret_cast %base_buffer to offset: [%1], sizes: [4, %arg3], strides: [%0, 1] : memref<f32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
// RUN: %exits 1 hecv check %S/dynamic.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @window
// SELF: {{^}}equivalent: @window

#map = affine_map<()[s0] -> (s0 * 2)>
#map1 = affine_map<()[s0, s1, s2] -> (s0 * s1 + s2)>
module {
  func.func @window(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
    %0 = affine.apply #map()[%strides#0]
    %1 = affine.apply #map1()[%arg1, %strides#0, %arg2]
    %reinterpret_cast = memref.reinterpret_cast %base_buffer to offset: [%1], sizes: [4, %arg3], strides: [%strides#0, 1] : memref<f32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
    scf.for %arg4 = %c0 to %c4 step %c1 {
      scf.for %arg5 = %c0 to %arg3 step %c1 {
        %2 = memref.load %reinterpret_cast[%arg4, %arg5] : memref<4x?xf32, strided<[?, 1], offset: ?>>
        %3 = arith.addf %2, %2 : f32
        memref.store %3, %reinterpret_cast[%arg4, %arg5] : memref<4x?xf32, strided<[?, 1], offset: ?>>
      }
    }
    return
  }
}
