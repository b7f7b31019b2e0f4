// By hand, from small-power.src.mlir by ipowi-three
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/small-power.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/small-power.src.mlir %S/small-power.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @small_power
// CHECK-NOT: smt-refinement
// CHECK: ipowi-three

func.func @small_power(%a: i64, %d: i64) -> i64 {
  %x = arith.muli %a, %a : i64
  %p = arith.muli %x, %a : i64
  %r = arith.divui %p, %d : i64
  return %r : i64
}
