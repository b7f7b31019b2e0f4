// By hand
// Verdict: not equivalent
// Changed: The shift is wider than the bound that the source has.
// RUN: %exits 1 hecv check %S/known-bits.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

func.func @f(%A: memref<8xi8>, %B: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %b = affine.load %A[%i] : memref<8xi8>
    %x = arith.extui %b : i8 to i32
    %four = arith.constant 5 : i32
    %z = arith.shli %x, %four : i32
    affine.store %z, %B[%i] : memref<8xi32>
  }
  return
}
