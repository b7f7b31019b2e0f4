// mlir-opt crossing.src.mlir --scf-for-loop-peeling
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: with bounds that cross, the peeled iteration runs
// RUN: %exits 1 hecv check %S/crossing.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/crossing.src.mlir %S/crossing.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @fill
// SELF: {{^}}equivalent: @fill

#map = affine_map<()[s0, s1, s2] -> (s1 - (s1 - s0) mod s2)>
#map1 = affine_map<(d0)[s0] -> (-d0 + s0)>
module {
  func.func @fill(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = affine.apply #map()[%c0, %arg1, %c4]
    scf.for %arg3 = %c0 to %0 step %c4 {
      scf.for %arg4 = %c0 to %c4 step %c1 {
        %1 = arith.addi %arg3, %arg4 : index
        memref.store %arg2, %arg0[%1] : memref<?xf32>
      }
    }
    scf.for %arg3 = %0 to %arg1 step %c4 {
      %1 = affine.apply #map1(%arg3)[%arg1]
      scf.for %arg4 = %c0 to %1 step %c1 {
        %2 = arith.addi %arg3, %arg4 : index
        memref.store %arg2, %arg0[%2] : memref<?xf32>
      }
    }
    return
  }
}
