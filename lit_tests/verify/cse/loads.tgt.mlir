// mlir-opt loads.src.mlir --pass-pipeline='builtin.module(func.func(cse))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/loads.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/loads.src.mlir %S/loads.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @loads

module {
  func.func @loads(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 8 {
      %0 = affine.load %arg0[%arg3] : memref<8xf32>
      %1 = arith.mulf %0, %0 : f32
      affine.store %1, %arg0[%arg3] : memref<8xf32>
      %2 = affine.load %arg0[%arg3] : memref<8xf32>
      %3 = arith.addf %2, %arg2 : f32
      affine.store %3, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
}
