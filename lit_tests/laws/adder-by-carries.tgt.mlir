// By hand, from adder-by-carries.src.mlir by integer-ring-normal-form
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/adder-by-carries.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/adder-by-carries.src.mlir %S/adder-by-carries.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @adder_by_carries
// CHECK-NOT: smt-refinement
// CHECK: integer-ring-normal-form

func.func @adder_by_carries(%a: i64, %b: i64, %c: i64) -> i64 {
  %one = arith.constant 1 : i64
  %x = arith.xori %a, %b : i64
  %y = arith.andi %a, %b : i64
  %z = arith.shli %y, %one : i64
  %s = arith.addi %x, %z : i64
  %r = arith.muli %c, %s : i64
  return %r : i64
}
