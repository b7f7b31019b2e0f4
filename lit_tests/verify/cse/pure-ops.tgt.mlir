// mlir-opt pure-ops.src.mlir --pass-pipeline='builtin.module(func.func(cse))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/pure-ops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/pure-ops.src.mlir %S/pure-ops.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @pure

#map = affine_map<(d0)[s0] -> (d0 + 1, s0)>
module {
  func.func @pure(%arg0: memref<?x?xi32>, %arg1: i32, %arg2: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xi32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xi32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to min #map(%arg3)[%dim_0] {
        %0 = arith.addi %arg1, %arg2 : i32
        %1 = arith.subi %arg1, %arg2 : i32
        %2 = arith.subi %arg2, %arg1 : i32
        %3 = arith.muli %0, %1 : i32
        %4 = arith.muli %0, %2 : i32
        %5 = arith.xori %3, %4 : i32
        affine.store %5, %arg0[%arg3, %arg4] : memref<?x?xi32>
      }
    }
    return
  }
}
