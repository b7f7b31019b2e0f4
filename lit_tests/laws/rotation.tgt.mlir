// By hand, from rotation.src.mlir by shifts-apart-as-ori
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/rotation.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/rotation.src.mlir %S/rotation.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @rotation
// CHECK-NOT: smt-refinement
// CHECK: shifts-apart-as-ori

func.func @rotation(%a: i64, %d: i64) -> i64 {
  %j = arith.constant 13 : i64
  %k = arith.constant 51 : i64
  %l = arith.shli %a, %j : i64
  %h = arith.shrui %a, %k : i64
  %s = arith.addi %l, %h : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
