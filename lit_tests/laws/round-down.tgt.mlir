// By hand, from round-down.src.mlir by round-down-as-andi
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/round-down.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/round-down.src.mlir %S/round-down.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @round_down
// CHECK-NOT: smt-refinement
// CHECK: round-down-as-andi

func.func @round_down(%a: i64, %d: i64) -> i64 {
  %m = arith.constant -16 : i64
  %s = arith.andi %a, %m : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
