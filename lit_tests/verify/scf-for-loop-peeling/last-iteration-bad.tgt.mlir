// mlir-opt last-iteration.src.mlir --pass-pipeline='builtin.module(func.func(scf-for-loop-peeling))'
// Verdict: not equivalent
// The pass of LLVM 22.1.8 is wrong: bounds that cross (n = -1) leave a clean-up loop that runs.
// RUN: %exits 1 hecv check %S/last-iteration.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/last-iteration.src.mlir %S/last-iteration.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @peel
// SELF: {{^}}equivalent: @peel

#map = affine_map<()[s0, s1, s2] -> (s1 - (s1 - s0) mod s2)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
#map2 = affine_map<(d0)[s0] -> (-d0 + s0)>
module {
  func.func @peel(%arg0: memref<?xi32>, %arg1: index) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %0 = affine.apply #map()[%c0, %arg1, %c4]
    scf.for %arg2 = %c0 to %0 step %c4 {
      scf.for %arg3 = %c0 to %c4 step %c1 {
        %1 = affine.apply #map1(%arg2, %arg3)
        %2 = memref.load %arg0[%1] : memref<?xi32>
        %3 = arith.addi %2, %c1_i32 : i32
        memref.store %3, %arg0[%1] : memref<?xi32>
      }
    }
    scf.for %arg2 = %0 to %arg1 step %c4 {
      %1 = affine.apply #map2(%arg2)[%arg1]
      scf.for %arg3 = %c0 to %1 step %c1 {
        %2 = affine.apply #map1(%arg2, %arg3)
        %3 = memref.load %arg0[%2] : memref<?xi32>
        %4 = arith.addi %3, %c1_i32 : i32
        memref.store %4, %arg0[%2] : memref<?xi32>
      }
    }
    return
  }
}
