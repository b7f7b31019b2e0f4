// By hand, from lowest-bit.src.mlir by lowest-bit-cleared
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/lowest-bit.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/lowest-bit.src.mlir %S/lowest-bit.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @lowest_bit
// CHECK-NOT: smt-refinement
// CHECK: lowest-bit-cleared

func.func @lowest_bit(%a: i64, %d: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %n = arith.subi %zero, %a : i64
  %low = arith.andi %a, %n : i64
  %s = arith.subi %a, %low : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
