// interchange.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: the last row is left out; it was
//   %column = affine.for %i = 0 to %n iter_args(%t = %zero) -> i32 {
// RUN: %exits 1 hecv check %S/interchange.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @total
// SELF: {{^}}equivalent: @total
func.func @total(%A: memref<?x?xi32>, %n: index, %m: index) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = affine.for %j = 0 to %m iter_args(%s = %zero) -> i32 {
    %column = affine.for %i = 1 to %n iter_args(%t = %zero) -> i32 {
      %a = affine.load %A[%n - 1 - %i, %j] : memref<?x?xi32>
      %r = arith.addi %a, %t : i32
      affine.yield %r : i32
    }
    %u = arith.addi %s, %column : i32
    affine.yield %u : i32
  }
  return %sum : i32
}
