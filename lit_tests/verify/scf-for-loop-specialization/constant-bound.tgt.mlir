// mlir-opt constant-bound.src.mlir --pass-pipeline='builtin.module(func.func(scf-for-loop-specialization))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/constant-bound.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/constant-bound.src.mlir %S/constant-bound.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @special

#map = affine_map<(d0) -> (8, -d0 + 64)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @special(%arg0: memref<64xi32>, %arg1: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %0 = affine.min #map(%arg1)
    %c8 = arith.constant 8 : index
    %1 = arith.cmpi eq, %0, %c8 : index
    scf.if %1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        %2 = affine.apply #map1(%arg1, %arg2)
        %3 = memref.load %arg0[%2] : memref<64xi32>
        %4 = arith.addi %3, %c1_i32 : i32
        memref.store %4, %arg0[%2] : memref<64xi32>
      }
    } else {
      scf.for %arg2 = %c0 to %0 step %c1 {
        %2 = affine.apply #map1(%arg1, %arg2)
        %3 = memref.load %arg0[%2] : memref<64xi32>
        %4 = arith.addi %3, %c1_i32 : i32
        memref.store %4, %arg0[%2] : memref<64xi32>
      }
    }
    return
  }
}
