// mlir-opt subview.src.mlir --pass-pipeline='builtin.module(fold-memref-alias-ops)'
// Verdict: refines
// RUN: %exits 0 hecv check %S/subview.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/subview.src.mlir %S/subview.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}refines: @window
// SELF: {{^}}equivalent: @window

#map = affine_map<()[s0, s1] -> (s0 + s1 * 2)>
#map1 = affine_map<()[s0, s1] -> (s0 + s1)>
module {
  func.func @window(%arg0: memref<16x?xf32>, %arg1: index, %arg2: index, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %arg4 = %c0 to %c4 step %c1 {
      scf.for %arg5 = %c0 to %arg3 step %c1 {
        %0 = affine.apply #map()[%arg1, %arg4]
        %1 = affine.apply #map1()[%arg2, %arg5]
        %2 = memref.load %arg0[%0, %1] : memref<16x?xf32>
        %3 = arith.addf %2, %2 : f32
        %4 = affine.apply #map()[%arg1, %arg4]
        %5 = affine.apply #map1()[%arg2, %arg5]
        memref.store %3, %arg0[%4, %5] : memref<16x?xf32>
      }
    }
    return
  }
}
