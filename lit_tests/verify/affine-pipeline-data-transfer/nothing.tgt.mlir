// mlir-opt nothing.src.mlir --pass-pipeline='builtin.module(func.func(affine-pipeline-data-transfer))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/nothing.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/nothing.src.mlir %S/nothing.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @plain

module {
  func.func @plain(%arg0: memref<16xf32>) {
    affine.for %arg1 = 0 to 16 {
      %0 = affine.load %arg0[%arg1] : memref<16xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %arg0[%arg1] : memref<16xf32>
    }
    return
  }
}
