// By hand, from divide-by-power-of-two.src.mlir by divsi-by-power-of-two
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/divide-by-power-of-two.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/divide-by-power-of-two.src.mlir %S/divide-by-power-of-two.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @divide_by_power_of_two
// CHECK-NOT: smt-refinement
// CHECK: divsi-by-power-of-two

func.func @divide_by_power_of_two(%a: i64, %d: i64) -> i64 {
  %top = arith.constant 63 : i64
  %j = arith.constant 61 : i64
  %k = arith.constant 3 : i64
  %sign = arith.shrsi %a, %top : i64
  %bias = arith.shrui %sign, %j : i64
  %x = arith.addi %a, %bias : i64
  %s = arith.shrsi %x, %k : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
