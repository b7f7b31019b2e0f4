// mlir-opt polar.src.mlir --math-sincos-fusion
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/polar.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/polar.src.mlir %S/polar.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @polar

module {
  func.func @polar(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
    affine.for %arg4 = 0 to %arg3 {
      %0 = affine.load %arg0[%arg4] : memref<?xf32>
      %sin, %cos = math.sincos %0 : f32
      affine.store %sin, %arg1[%arg4] : memref<?xf32>
      affine.store %cos, %arg2[%arg4] : memref<?xf32>
    }
    return
  }
}
