// The target may not do what the source never does: leave the memref, divide by zero, read what nothing has written.
// RUN: split-file %s %t
// RUN: %exits 1 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s

// The other way round the undefined behaviour of the source goes away: that is allowed, but no equivalence.
// RUN: %exits 0 hecv check %t/tgt.mlir %t/src.mlir --func divide | FileCheck %s --check-prefix=REFINES
// RUN: %exits 3 hecv check %t/tgt.mlir %t/src.mlir --func divide --relation equivalent | FileCheck %s --check-prefix=REFINES

// CHECK: {{^}}not equivalent: @bounds
// CHECK-NEXT:   input    %A = memref<?xf32> [{{.*}}]
// CHECK-NEXT:   source
// CHECK-NEXT:   target   undefined:
// CHECK: {{^}}not equivalent: @divide
// CHECK:   target   undefined:
// CHECK:   = note: both were run on this input by the interpreter
// CHECK-NOT: JIT
// CHECK: {{^}}not equivalent: @local

// REFINES: {{^}}refines: @divide

//--- src.mlir
func.func @bounds(%A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}
func.func @divide(%x: i32, %y: i32, %c: i1) -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}
func.func @local(%x: f32) -> f32 {
  %T = memref.alloc() : memref<2xf32>
  affine.store %x, %T[0] : memref<2xf32>
  %t = affine.load %T[0] : memref<2xf32>
  return %t : f32
}

//--- tgt.mlir
func.func @bounds(%A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to affine_map<()[n] -> (n ceildiv 2)>()[%n] {
    affine.store %x, %A[%i * 2] : memref<?xf32>
    affine.store %x, %A[%i * 2 + 1] : memref<?xf32>
  }
  return
}
func.func @divide(%x: i32, %y: i32, %c: i1) -> i32 {
  %zero = arith.constant 0 : i32
  %q = arith.divsi %x, %y : i32
  return %zero : i32
}
func.func @local(%x: f32) -> f32 {
  %T = memref.alloc() : memref<2xf32>
  affine.store %x, %T[0] : memref<2xf32>
  %t = affine.load %T[1] : memref<2xf32>
  return %t : f32
}
