// sign-extension.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 12, the field is extended by zeros; it was
//   %s = arith.shrsi %l, %k : i64
// RUN: %exits 1 hecv check %S/sign-extension.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @sign_extension

func.func @sign_extension(%a: i64, %d: i64) -> i64 {
  %k = arith.constant 48 : i64
  %l = arith.shli %a, %k : i64
  %s = arith.shrui %l, %k : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
