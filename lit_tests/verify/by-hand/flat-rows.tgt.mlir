// By hand: A local matrix as a flat buffer of rows: `T[i, j]` is `T[i*m + j]`.
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/flat-rows.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %S/flat-rows.src.mlir %S/flat-rows.src.mlir --assume nonneg | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @f
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
      %p = arith.addi %r, %j : index
      %v = memref.load %T[%p] : memref<?xf32>
      affine.store %v, %O[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %T : memref<?xf32>
  return
}
