// mlir-opt fill.src.mlir --scf-for-loop-peeling
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/fill.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/fill.src.mlir %S/fill.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @fill
// SELF: {{^}}equivalent: @fill

#map = affine_map<()[s0, s1, s2] -> (s1 - (s1 - s0) mod s2)>
#map1 = affine_map<(d0)[s0] -> (-d0 + s0)>
module {
  func.func @fill(%arg0: memref<?xf32>, %arg1: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    %0 = affine.apply #map()[%c0, %dim, %c4]
    scf.for %arg2 = %c0 to %0 step %c4 {
      scf.for %arg3 = %c0 to %c4 step %c1 {
        %1 = arith.addi %arg2, %arg3 : index
        memref.store %arg1, %arg0[%1] : memref<?xf32>
      }
    }
    scf.for %arg2 = %0 to %dim step %c4 {
      %1 = affine.apply #map1(%arg2)[%dim]
      scf.for %arg3 = %c0 to %1 step %c1 {
        %2 = arith.addi %arg2, %arg3 : index
        memref.store %arg1, %arg0[%2] : memref<?xf32>
      }
    }
    return
  }
}
