// What has no semantics here is unknown, named and located; the other function is decided all the same.
// RUN: %exits 3 hecv check %s %s | FileCheck %s

// CHECK: {{^}}unknown: @foreign
// CHECK-NEXT:   unsupported-op: {{.*}}llvm.freeze
// CHECK-NEXT:   --> {{.*}}unknown.mlir:[[# @LINE + 6]]:
// CHECK: {{^}}equivalent: @known

// --func leaves it out.
// RUN: %exits 0 hecv check %s %s --func known
func.func @foreign(%x: i32) -> i32 {
  %y = llvm.freeze %x : i32
  return %y : i32
}

func.func @known(%x: i32) -> i32 {
  return %x : i32
}
