// By hand, from distance.src.mlir by distance-unsigned
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/distance.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/distance.src.mlir %S/distance.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @distance
// CHECK-NOT: smt-refinement
// CHECK: distance-unsigned

func.func @distance(%a: i64, %b: i64, %d: i64) -> i64 {
  %x = arith.maxui %a, %b : i64
  %y = arith.minui %a, %b : i64
  %s = arith.subi %x, %y : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
