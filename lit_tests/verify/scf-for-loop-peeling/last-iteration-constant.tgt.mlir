// mlir-opt last-iteration-constant.src.mlir --pass-pipeline='builtin.module(func.func(scf-for-loop-peeling))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/last-iteration-constant.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/last-iteration-constant.src.mlir %S/last-iteration-constant.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @peel

#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (-d0 + 103)>
module {
  func.func @peel(%arg0: memref<103xi32>) {
    %c0 = arith.constant 0 : index
    %c103 = arith.constant 103 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %c100 = arith.constant 100 : index
    scf.for %arg1 = %c0 to %c100 step %c4 {
      scf.for %arg2 = %c0 to %c4 step %c1 {
        %0 = affine.apply #map(%arg1, %arg2)
        %1 = memref.load %arg0[%0] : memref<103xi32>
        %2 = arith.addi %1, %c1_i32 : i32
        memref.store %2, %arg0[%0] : memref<103xi32>
      }
    }
    scf.for %arg1 = %c100 to %c103 step %c4 {
      %0 = affine.apply #map1(%arg1)
      scf.for %arg2 = %c0 to %0 step %c1 {
        %1 = affine.apply #map(%arg1, %arg2)
        %2 = memref.load %arg0[%1] : memref<103xi32>
        %3 = arith.addi %2, %c1_i32 : i32
        memref.store %3, %arg0[%1] : memref<103xi32>
      }
    }
    return
  }
}
