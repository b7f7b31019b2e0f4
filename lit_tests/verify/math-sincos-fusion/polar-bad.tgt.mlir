// mlir-opt polar.src.mlir --math-sincos-fusion, then changed by hand
// Verdict: not equivalent
// Changed: line 15, the cosine where the sine belongs; it was
//   affine.store %sin, %arg1[%arg4] : memref<?xf32>
// RUN: %exits 1 hecv check %S/polar.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @polar
// SELF: {{^}}equivalent: @polar

module {
  func.func @polar(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
    affine.for %arg4 = 0 to %arg3 {
      %0 = affine.load %arg0[%arg4] : memref<?xf32>
      %sin, %cos = math.sincos %0 : f32
      affine.store %cos, %arg1[%arg4] : memref<?xf32>
      affine.store %cos, %arg2[%arg4] : memref<?xf32>
    }
    return
  }
}
