// Public functions are paired by name and the worst verdict counts; private ones count through their callers.
// RUN: split-file %s %t
// RUN: %exits 1 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --func one | FileCheck %s --check-prefix=ONE
// RUN: %exits 1 hecv check %t/src.mlir %t/tgt.mlir --func two --func one | FileCheck %s

// CHECK-DAG: {{^}}equivalent: @one
// CHECK-DAG: {{^}}not equivalent: @two
// CHECK-NOT: @helper
// ONE: {{^}}equivalent: @one
// ONE-NOT: @two

// A single public function on each side is paired whatever its name.
// RUN: %exits 0 hecv check %t/single.mlir %t/renamed.mlir | FileCheck %s --check-prefix=SINGLE
// SINGLE: {{^}}equivalent: @one

//--- src.mlir
func.func private @helper(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @one(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @two(%x: i32) -> i32 {
  %y = func.call @helper(%x) : (i32) -> i32
  return %y : i32
}

//--- tgt.mlir
func.func @two(%x: i32) -> i32 {
  %y = func.call @helper(%x) : (i32) -> i32
  return %y : i32
}
func.func private @helper(%x: i32) -> i32 {
  return %x : i32
}
func.func @one(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}

//--- single.mlir
func.func @one(%x: i32) -> i32 {
  return %x : i32
}

//--- renamed.mlir
func.func private @helper(%x: i32) -> i32 {
  return %x : i32
}
func.func @other(%x: i32) -> i32 {
  %y = func.call @helper(%x) : (i32) -> i32
  return %y : i32
}
