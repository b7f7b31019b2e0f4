// mlir-opt min-in-loop.src.mlir --pass-pipeline='builtin.module(func.func(scf-for-loop-canonicalization))', then changed by hand
// Verdict: not equivalent
// Changed: line 15, the tiles are smaller than the step is meant to be; it was
//   %c8 = arith.constant 8 : index
// RUN: %exits 1 hecv check %S/min-in-loop.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @tiles
// SELF: {{^}}equivalent: @tiles

#map = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @tiles(%arg0: memref<64xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %c1_i32 = arith.constant 1 : i32
    scf.for %arg1 = %c0 to %c64 step %c8 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        %0 = affine.apply #map(%arg1, %arg2)
        %1 = memref.load %arg0[%0] : memref<64xi32>
        %2 = arith.addi %1, %c1_i32 : i32
        memref.store %2, %arg0[%0] : memref<64xi32>
      }
    }
    return
  }
}
