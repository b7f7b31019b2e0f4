// By hand, from difference-by-parts.src.mlir by integer-ring-normal-form
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/difference-by-parts.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/difference-by-parts.src.mlir %S/difference-by-parts.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @difference_by_parts
// CHECK-NOT: smt-refinement
// CHECK: integer-ring-normal-form

func.func @difference_by_parts(%a: i64, %b: i64, %d: i64) -> i64 {
  %m = arith.constant -1 : i64
  %na = arith.xori %a, %m : i64
  %nb = arith.xori %b, %m : i64
  %x = arith.andi %a, %nb : i64
  %y = arith.andi %na, %b : i64
  %s = arith.subi %x, %y : i64
  %r = arith.remui %s, %d : i64
  return %r : i64
}
