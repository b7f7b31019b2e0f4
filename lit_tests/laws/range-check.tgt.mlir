// By hand, from range-check.src.mlir by interval-slt
// Verdict: equivalent
// RUN: %exits 0 hecv check --engine dataflow -v %S/range-check.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/range-check.src.mlir %S/range-check.src.mlir
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}equivalent: @range_check
// CHECK-NOT: smt-refinement
// CHECK: interval-slt

func.func @range_check(%a: i64, %x: i64, %y: i64) -> i64 {
  %c5 = arith.constant 5 : i64
  %c105 = arith.constant 105 : i64
  %s = arith.addi %a, %c5 : i64
  %in = arith.cmpi ult, %s, %c105 : i64
  %m = arith.muli %y, %x : i64
  %r = arith.select %in, %m, %x : i64
  return %r : i64
}
