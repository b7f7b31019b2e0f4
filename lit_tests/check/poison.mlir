// A flag that the source does not have makes poison on overflow; without flags, or fewer of them, nothing is lost.
// RUN: split-file %s %t
// RUN: %exits 1 hecv check %t/plain.mlir %t/flag.mlir | FileCheck %s --check-prefix=ADDED
// RUN: %exits 0 hecv check %t/flag.mlir %t/plain.mlir | FileCheck %s --check-prefix=DROPPED
// RUN: %exits 0 hecv check %t/flag.mlir %t/flag.mlir | FileCheck %s --check-prefix=SAME

// ADDED: {{^}}not equivalent: @add
// ADDED: target   result0 = poison
// DROPPED: {{^}}refines: @add
// SAME: {{^}}equivalent: @add

//--- plain.mlir
func.func @add(%x: i32, %y: i32) -> i32 {
  %s = arith.addi %x, %y : i32
  return %s : i32
}

//--- flag.mlir
func.func @add(%x: i32, %y: i32) -> i32 {
  %s = arith.addi %x, %y overflow<nsw> : i32
  return %s : i32
}
