// A loop to %n with step 4 does not run for %n = -1. `scf-for-loop-peeling` runs the last, partial iteration where %n is
// no multiple of 4.
//
// RUN: mlir-opt %s -scf-for-loop-peeling -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @count
// CHECK: input %n = -1
// CHECK: source result0 = 0
func.func @count(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%s = %c0) -> index {
    %rest = arith.subi %n, %i : index
    %m = arith.minsi %rest, %c4 : index
    %t = arith.addi %s, %m : index
    scf.yield %t : index
  }
  return %r : index
}
