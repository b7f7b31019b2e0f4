// mlir-opt collapse.src.mlir --pass-pipeline='builtin.module(expand-strided-metadata)', then changed by hand
// Verdict: not equivalent
// Changed: line 10, only half of the elements are copied; it was
//   #map = affine_map<()[s0] -> (s0 * 4)>
// RUN: %exits 1 hecv check %S/collapse.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @flat
// SELF: {{^}}equivalent: @flat

#map = affine_map<()[s0] -> (s0 * 2)>
module {
  func.func @flat(%arg0: memref<?x4xf32>, %arg1: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<?x4xf32> -> memref<f32>, index, index, index, index, index
    %0 = affine.apply #map()[%sizes#0]
    %reinterpret_cast = memref.reinterpret_cast %base_buffer to offset: [0], sizes: [%0], strides: [1] : memref<f32> to memref<?xf32>
    %dim = memref.dim %reinterpret_cast, %c0 : memref<?xf32>
    scf.for %arg2 = %c0 to %dim step %c1 {
      %1 = memref.load %reinterpret_cast[%arg2] : memref<?xf32>
      memref.store %1, %arg1[%arg2] : memref<?xf32>
    }
    return
  }
}
