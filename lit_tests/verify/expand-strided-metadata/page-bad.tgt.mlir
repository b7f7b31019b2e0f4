// mlir-opt page.src.mlir --expand-strided-metadata, then changed by hand
// Verdict: not equivalent
// Changed: line 20, the first of each row is left; it was
//   scf.for %arg5 = %c0 to %c8 step %c1 {
// RUN: %exits 1 hecv check %S/page.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @clear
// SELF: {{^}}equivalent: @clear

#map = affine_map<()[s0, s1] -> (s0 * s1)>
module {
  func.func @clear(%arg0: memref<4x?x8xf32>, %arg1: index, %arg2: index, %arg3: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %base_buffer, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %arg0 : memref<4x?x8xf32> -> memref<f32>, index, index, index, index, index, index, index
    %0 = affine.apply #map()[%arg1, %strides#0]
    %reinterpret_cast = memref.reinterpret_cast %base_buffer to offset: [%0], sizes: [%arg2, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    scf.for %arg4 = %c0 to %arg2 step %c1 {
      scf.for %arg5 = %c1 to %c8 step %c1 {
        memref.store %arg3, %reinterpret_cast[%arg4, %arg5] : memref<?x8xf32, strided<[8, 1], offset: ?>>
      }
    }
    return
  }
}

