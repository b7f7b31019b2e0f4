// mlir-opt reshape.src.mlir --pass-pipeline='builtin.module(fold-memref-alias-ops)', then changed by hand
// Verdict: not equivalent
// Changed: line 27, the extents are exchanged; it was
//   %1:2 = affine.delinearize_index %arg3 into (6, 4) : index, index
// RUN: %exits 1 hecv check %S/reshape.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @shapes
// SELF: {{^}}equivalent: @shapes

module {
  func.func @shapes(%arg0: memref<24xf32>, %arg1: memref<6x4xf32>, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c24 = arith.constant 24 : index
    scf.for %arg3 = %c0 to %c6 step %c1 {
      scf.for %arg4 = %c0 to %c4 step %c1 {
        %0 = memref.load %arg1[%arg3, %arg4] : memref<6x4xf32>
        %1 = arith.addf %0, %arg2 : f32
        %2 = affine.linearize_index disjoint [%arg3, %arg4] by (6, 4) : index
        memref.store %1, %arg0[%2] : memref<24xf32>
      }
    }
    scf.for %arg3 = %c0 to %c24 step %c1 {
      %0 = memref.load %arg0[%arg3] : memref<24xf32>
      %1:2 = affine.delinearize_index %arg3 into (4, 6) : index, index
      memref.store %0, %arg1[%1#0, %1#1] : memref<6x4xf32>
    }
    return
  }
}
