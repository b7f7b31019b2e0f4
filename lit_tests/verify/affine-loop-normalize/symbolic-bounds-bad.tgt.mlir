// mlir-opt symbolic-bounds.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-normalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 10, the trip count is rounded down; it was
//   #map = affine_map<()[s0, s1] -> ((s0 - s1) ceildiv 3)>
// RUN: %exits 1 hecv check %S/symbolic-bounds.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @between
// SELF: {{^}}equivalent: @between

#map = affine_map<()[s0, s1] -> ((s0 - s1) floordiv 3)>
#map1 = affine_map<(d0)[s0] -> (d0 * 3 + s0)>
module {
  func.func @between(%arg0: memref<?xf32>, %arg1: index, %arg2: index) -> f32 {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.for %arg3 = 0 to #map()[%arg2, %arg1] iter_args(%arg4 = %cst) -> (f32) {
      %1 = affine.apply #map1(%arg3)[%arg1]
      %2 = affine.load %arg0[%1] : memref<?xf32>
      %3 = arith.addf %arg4, %2 : f32
      affine.yield %3 : f32
    }
    return %0 : f32
  }
}
