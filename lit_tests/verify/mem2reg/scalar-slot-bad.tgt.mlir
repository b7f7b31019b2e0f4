// mlir-opt scalar-slot.src.mlir --pass-pipeline='builtin.module(func.func(mem2reg))', then changed by hand
// Verdict: not equivalent
// Changed: line 17, the sum is a product; it was
//   %2 = arith.addi %0, %1 : i32
// RUN: %exits 1 hecv check %S/scalar-slot.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @slot
// SELF: {{^}}equivalent: @slot

module {
  func.func @slot(%arg0: memref<16xi32>) {
    %alloca = memref.alloca() : memref<i32>
    affine.for %arg1 = 0 to 16 {
      %0 = affine.load %arg0[%arg1] : memref<16xi32>
      memref.store %0, %alloca[] : memref<i32>
      %1 = memref.load %alloca[] : memref<i32>
      %2 = arith.muli %0, %1 : i32
      affine.store %2, %arg0[%arg1] : memref<16xi32>
    }
    return
  }
}
