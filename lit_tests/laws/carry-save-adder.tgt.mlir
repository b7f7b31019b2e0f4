// By hand, from carry-save-adder.src.mlir by integer-ring-normal-form
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/carry-save-adder.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/carry-save-adder.src.mlir %S/carry-save-adder.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @carry_save_adder
// CHECK-NOT: smt-refinement
// CHECK: integer-ring-normal-form

func.func @carry_save_adder(%a: i64, %b: i64, %c: i64, %d: i64) -> i64 {
  %one = arith.constant 1 : i64
  %ab = arith.xori %a, %b : i64
  %sum = arith.xori %ab, %c : i64
  %g = arith.andi %a, %b : i64
  %p = arith.ori %a, %b : i64
  %pc = arith.andi %c, %p : i64
  %maj = arith.ori %g, %pc : i64
  %carries = arith.shli %maj, %one : i64
  %t = arith.addi %sum, %carries : i64
  %r = arith.divui %t, %d : i64
  return %r : i64
}
