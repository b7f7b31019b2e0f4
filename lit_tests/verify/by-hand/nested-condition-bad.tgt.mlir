// By hand
// Verdict: not equivalent
// Changed: Nothing asks whether the element is positive.
// RUN: %exits 1 hecv check %S/nested-condition.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %A[%i] : memref<?xi32>
    %positive = arith.cmpi sgt, %v, %zero : i32
    %later = arith.cmpi sgt, %i, %c0 : index
    scf.if %later {
      scf.if %later {
        %before = arith.subi %i, %c1 : index
        memref.store %v, %B[%before] : memref<?xi32>
      }
    }
  }
  return
}
