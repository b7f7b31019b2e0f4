// mlir-opt crossing-bounds.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the clean-up loop runs where %lo lies above 10
// RUN: %exits 1 hecv check %S/crossing-bounds.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/crossing-bounds.src.mlir %S/crossing-bounds.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @from
// SELF: {{^}}equivalent: @from

#map = affine_map<()[s0] -> (s0 + ((-s0) floordiv 2) * 2 + 10)>
#map1 = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @from(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) {
    affine.for %arg3 = %arg1 to #map()[%arg1] step 2 {
      %0 = affine.load %arg0[%arg3] : memref<?xf32>
      %1 = arith.addf %0, %arg2 : f32
      affine.store %1, %arg0[%arg3] : memref<?xf32>
      %2 = affine.apply #map1(%arg3)
      %3 = affine.load %arg0[%2] : memref<?xf32>
      %4 = arith.addf %3, %arg2 : f32
      affine.store %4, %arg0[%2] : memref<?xf32>
    }
    affine.for %arg3 = #map()[%arg1] to 10 {
      %0 = affine.load %arg0[%arg3] : memref<?xf32>
      %1 = arith.addf %0, %arg2 : f32
      affine.store %1, %arg0[%arg3] : memref<?xf32>
    }
    return
  }
}
