// mlir-opt nothing.src.mlir --pass-pipeline='builtin.module(func.func(affine-pipeline-data-transfer))', then changed by hand
// Verdict: not equivalent
// Changed: line 14, the element is doubled; it was
//   %1 = arith.negf %0 : f32
// RUN: %exits 1 hecv check %S/nothing.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @plain
// SELF: {{^}}equivalent: @plain

module {
  func.func @plain(%arg0: memref<16xf32>) {
    affine.for %arg1 = 0 to 16 {
      %0 = affine.load %arg0[%arg1] : memref<16xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %arg0[%arg1] : memref<16xf32>
    }
    return
  }
}
