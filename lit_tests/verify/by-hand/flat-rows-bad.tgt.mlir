// By hand
// Verdict: not equivalent
// Changed: The second nest reads each column from its end: another element where there is more than one column.
// RUN: %exits 1 hecv check %S/flat-rows.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

func.func @f(%A: memref<?x?xf32>, %O: memref<?x?xf32>, %n: index, %m: index) {
  %size = arith.muli %n, %m : index
  %T = memref.alloc(%size) : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = affine.load %A[%i, %j] : memref<?x?xf32>
      %r = arith.muli %i, %m : index
      %p = arith.addi %r, %j : index
      memref.store %v, %T[%p] : memref<?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %m : index
      %last = arith.addi %r, %m : index
      %one = arith.constant 1 : index
      %end = arith.subi %last, %one : index
      %p = arith.subi %end, %j : index
      %v = memref.load %T[%p] : memref<?xf32>
      affine.store %v, %O[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %T : memref<?xf32>
  return
}
