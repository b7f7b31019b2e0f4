// parallel-sum.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: the first column is left out; it was
//   %sum = scf.for %j = %c0 to %m step %c1 iter_args(%t = %zero) -> f32 {
// RUN: %exits 1 hecv check %S/parallel-sum.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @norm
// SELF: {{^}}equivalent: @norm
func.func @norm(%A: memref<?x?xf32>, %n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %j = %c1 to %m step %c1 iter_args(%t = %zero) -> f32 {
    %column = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> f32 {
      %a = memref.load %A[%i, %j] : memref<?x?xf32>
      %p = arith.mulf %a, %a : f32
      %s = arith.addf %u, %p : f32
      scf.yield %s : f32
    }
    scf.yield %column : f32
  }
  return %sum : f32
}
