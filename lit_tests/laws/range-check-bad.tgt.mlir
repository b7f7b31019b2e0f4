// range-check.tgt.mlir, then changed by hand
// Verdict: not equivalent
// Changed: line 13, the comparison is signed, so that all below the range is in it; it was
//   %in = arith.cmpi ult, %s, %c105 : i64
// RUN: %exits 1 hecv check %S/range-check.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s
// CHECK: {{^}}not equivalent: @range_check

func.func @range_check(%a: i64, %x: i64, %y: i64) -> i64 {
  %c5 = arith.constant 5 : i64
  %c105 = arith.constant 105 : i64
  %s = arith.addi %a, %c5 : i64
  %in = arith.cmpi slt, %s, %c105 : i64
  %m = arith.muli %y, %x : i64
  %r = arith.select %in, %m, %x : i64
  return %r : i64
}
