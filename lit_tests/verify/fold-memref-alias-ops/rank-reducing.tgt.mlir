// mlir-opt rank-reducing.src.mlir --pass-pipeline='builtin.module(fold-memref-alias-ops)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/rank-reducing.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/rank-reducing.src.mlir %S/rank-reducing.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @row

#map = affine_map<()[s0] -> (s0 * 2)>
module {
  func.func @row(%arg0: memref<4x8x6xf32>, %arg1: index, %arg2: f32) -> f32 {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %arg3 = %c0 to %c3 step %c1 {
      %1 = affine.apply #map()[%arg3]
      %2 = memref.load %arg0[%arg1, %c2, %1] : memref<4x8x6xf32>
      %3 = arith.mulf %2, %arg2 : f32
      %4 = affine.apply #map()[%arg3]
      memref.store %3, %arg0[%arg1, %c2, %4] : memref<4x8x6xf32>
    }
    %0 = memref.load %arg0[%arg1, %c3, %c1] : memref<4x8x6xf32>
    return %0 : f32
  }
}
