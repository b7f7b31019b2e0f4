// accumulators.src.mlir, changed by hand: a loop unrolled by 4, with an accumulator for each copy
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/accumulators.src.mlir %s --fp reassoc | FileCheck %s
// RUN: %exits 0 hecv check %S/accumulators.src.mlir %S/accumulators.src.mlir --fp reassoc | FileCheck %s
// RUN: %exits 0 hecv check %s %s --fp reassoc | FileCheck %s
// CHECK: {{^}}equivalent: @dot
func.func @dot(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sums:4 = affine.for %i = 0 to %n iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero) -> (f32, f32, f32, f32) {
    %a0 = affine.load %A[4 * %i + 0] : memref<?xf32>
    %b0 = affine.load %B[4 * %i + 0] : memref<?xf32>
    %p0 = arith.mulf %a0, %b0 : f32
    %r0 = arith.addf %s0, %p0 : f32
    %a1 = affine.load %A[4 * %i + 1] : memref<?xf32>
    %b1 = affine.load %B[4 * %i + 1] : memref<?xf32>
    %p1 = arith.mulf %a1, %b1 : f32
    %r1 = arith.addf %s1, %p1 : f32
    %a2 = affine.load %A[4 * %i + 2] : memref<?xf32>
    %b2 = affine.load %B[4 * %i + 2] : memref<?xf32>
    %p2 = arith.mulf %a2, %b2 : f32
    %r2 = arith.addf %s2, %p2 : f32
    %a3 = affine.load %A[4 * %i + 3] : memref<?xf32>
    %b3 = affine.load %B[4 * %i + 3] : memref<?xf32>
    %p3 = arith.mulf %a3, %b3 : f32
    %r3 = arith.addf %s3, %p3 : f32
    affine.yield %r0, %r1, %r2, %r3 : f32, f32, f32, f32
  }
  %left = arith.addf %sums#0, %sums#1 : f32
  %right = arith.addf %sums#2, %sums#3 : f32
  %sum = arith.addf %left, %right : f32
  return %sum : f32
}
