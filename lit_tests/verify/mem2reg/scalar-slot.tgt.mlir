// mlir-opt scalar-slot.src.mlir --pass-pipeline='builtin.module(func.func(mem2reg))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/scalar-slot.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/scalar-slot.src.mlir %S/scalar-slot.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @slot

module {
  func.func @slot(%arg0: memref<16xi32>) {
    %alloca = memref.alloca() : memref<i32>
    affine.for %arg1 = 0 to 16 {
      %0 = affine.load %arg0[%arg1] : memref<16xi32>
      memref.store %0, %alloca[] : memref<i32>
      %1 = memref.load %alloca[] : memref<i32>
      %2 = arith.addi %0, %1 : i32
      affine.store %2, %arg0[%arg1] : memref<16xi32>
    }
    return
  }
}
