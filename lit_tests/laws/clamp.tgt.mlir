// By hand, from clamp.src.mlir by minsi-clamps
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/clamp.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/clamp.src.mlir %S/clamp.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @clamp
// CHECK-NOT: smt-refinement
// CHECK: minsi-clamps

func.func @clamp(%a: i64, %d: i64) -> i64 {
  %lo = arith.constant -10 : i64
  %hi = arith.constant 10 : i64
  %x = arith.minsi %a, %hi : i64
  %s = arith.maxsi %x, %lo : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
