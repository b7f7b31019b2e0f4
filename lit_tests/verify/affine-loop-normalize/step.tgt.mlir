// mlir-opt step.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-normalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/step.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/step.src.mlir %S/step.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @strided

#map = affine_map<(d0) -> (d0 * 4 + 3)>
module {
  func.func @strided(%arg0: memref<20xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 5 {
      %0 = affine.apply #map(%arg2)
      %1 = affine.load %arg0[%0] : memref<20xf32>
      %2 = arith.mulf %1, %arg1 : f32
      affine.store %2, %arg0[%0] : memref<20xf32>
    }
    return
  }
}
