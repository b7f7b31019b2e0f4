// mlir-opt backward-distance.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll-jam{unroll-jam-factor=2}))'
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the second row reads what the first row has yet to write
// RUN: %exits 1 hecv check %S/backward-distance.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/backward-distance.src.mlir %S/backward-distance.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sweep
// SELF: {{^}}equivalent: @sweep

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @sweep(%arg0: memref<9x9xf32>, %arg1: f32) {
    affine.for %arg2 = 1 to 9 step 2 {
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %arg0[%arg2 - 1, %arg3 + 1] : memref<9x9xf32>
        %1 = arith.addf %0, %arg1 : f32
        affine.store %1, %arg0[%arg2, %arg3] : memref<9x9xf32>
        %2 = affine.apply #map(%arg2)
        %3 = affine.load %arg0[%2 - 1, %arg3 + 1] : memref<9x9xf32>
        %4 = arith.addf %3, %arg1 : f32
        affine.store %4, %arg0[%2, %arg3] : memref<9x9xf32>
      }
    }
    return
  }
}
