// By hand
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/division-by-constant.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @f

func.func @f(%A: memref<8xi32>, %B: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %A[%i] : memref<8xi32>
    %m = arith.constant 3435973837 : i32
    %s = arith.constant 3 : i32
    %low, %high = arith.mului_extended %x, %m : i32
    %q = arith.shrui %high, %s : i32
    affine.store %q, %B[%i] : memref<8xi32>
  }
  return
}
