// What holds only where the source is defined, and what never does.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/quotient.mlir %t/one.mlir | FileCheck %s --check-prefix=REFINES
// RUN: %exits 3 hecv check %t/quotient.mlir %t/one.mlir --relation equivalent | FileCheck %s --check-prefix=REFINES
// RUN: %exits 1 hecv check %t/one.mlir %t/quotient.mlir | FileCheck %s --check-prefix=TRAP
// RUN: %exits 1 hecv check %t/left.mlir %t/right.mlir | FileCheck %s --check-prefix=SUM
// RUN: %exits 1 hecv check %t/inside.mlir %t/outside.mlir | FileCheck %s --check-prefix=HOISTED
// RUN: %exits 0 hecv check %t/outside.mlir %t/inside.mlir | FileCheck %s --check-prefix=SUNK

// REFINES: {{^}}refines: @f
// REFINES: note: the source does not refine the target
// TRAP: {{^}}not equivalent: @f
// TRAP: target   undefined: division by zero
// SUM: {{^}}not equivalent: @sum
// SUM: by MLIR's JIT
// HOISTED: {{^}}not equivalent: @loop
// HOISTED: %n = 0
// HOISTED: target   undefined: division by zero
// SUNK: {{^}}refines: @loop

//--- quotient.mlir
func.func @f(%x: i32) -> i32 {
  %q = arith.divsi %x, %x : i32
  return %q : i32
}

//--- one.mlir
func.func @f(%x: i32) -> i32 {
  %q = arith.constant 1 : i32
  return %q : i32
}

//--- left.mlir
func.func @sum(%x: f32, %y: f32, %z: f32) -> f32 {
  %s = arith.addf %x, %y : f32
  %t = arith.addf %s, %z : f32
  return %t : f32
}

//--- right.mlir
func.func @sum(%x: f32, %y: f32, %z: f32) -> f32 {
  %s = arith.addf %y, %z : f32
  %t = arith.addf %x, %s : f32
  return %t : f32
}

//--- inside.mlir
func.func @loop(%A: memref<?xi32>, %x: i32, %y: i32, %n: index) {
  affine.for %i = 0 to %n {
    %q = arith.divsi %x, %y : i32
    affine.store %q, %A[%i] : memref<?xi32>
  }
  return
}

//--- outside.mlir
func.func @loop(%A: memref<?xi32>, %x: i32, %y: i32, %n: index) {
  %q = arith.divsi %x, %y : i32
  affine.for %i = 0 to %n {
    affine.store %q, %A[%i] : memref<?xi32>
  }
  return
}
