// mlir-opt delinearize.src.mlir --pass-pipeline='builtin.module(func.func(affine-expand-index-ops-as-affine))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/delinearize.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/delinearize.src.mlir %S/delinearize.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @delinear

#map = affine_map<(d0) -> (d0 floordiv 5)>
#map1 = affine_map<(d0) -> (d0 mod 5)>
module {
  func.func @delinear(%arg0: memref<4x5xf32>, %arg1: memref<20xf32>) {
    affine.for %arg2 = 0 to 20 {
      %0 = affine.apply #map(%arg2)
      %1 = affine.apply #map1(%arg2)
      %2 = memref.load %arg0[%0, %1] : memref<4x5xf32>
      affine.store %2, %arg1[%arg2] : memref<20xf32>
    }
    return
  }
}
