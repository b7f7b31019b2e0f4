// By hand
// Verdict: not equivalent
// Changed: The rest of a row of odd length is left out.
// RUN: %exits 1 hecv check %S/csr-unrolled.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

func.func @f(%ptr: memref<?xindex>, %x: memref<?xi32>, %y: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %i1 = arith.addi %i, %c1 : index
    %lo = memref.load %ptr[%i] : memref<?xindex>
    %hi = memref.load %ptr[%i1] : memref<?xindex>
    %d = arith.subi %hi, %lo : index
    %r = arith.remsi %d, %c2 : index
    %w = arith.subi %d, %r : index
    %mid = arith.addi %lo, %w : index
    %sum = scf.for %k = %lo to %mid step %c2 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      %k1 = arith.addi %k, %c1 : index
      %v1 = memref.load %x[%k1] : memref<?xi32>
      %t1 = arith.addi %t, %v1 : i32
      scf.yield %t1 : i32
    }
    %all = scf.for %k = %mid to %hi step %c1 iter_args(%s = %sum) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    memref.store %sum, %y[%i] : memref<?xi32>
  }
  return
}
