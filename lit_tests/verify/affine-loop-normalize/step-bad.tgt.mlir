// mlir-opt step.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-normalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 13, the last iteration is left out; it was
//   affine.for %arg2 = 0 to 5 {
// RUN: %exits 1 hecv check %S/step.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @strided
// SELF: {{^}}equivalent: @strided

#map = affine_map<(d0) -> (d0 * 4 + 3)>
module {
  func.func @strided(%arg0: memref<20xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 4 {
      %0 = affine.apply #map(%arg2)
      %1 = affine.load %arg0[%0] : memref<20xf32>
      %2 = arith.mulf %1, %arg1 : f32
      affine.store %2, %arg0[%0] : memref<20xf32>
    }
    return
  }
}
