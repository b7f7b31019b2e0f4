// Written by hand: while a row is used, the next one is read into the other buffer.
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/rows.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @toggled
// CHECK: {{^}}equivalent: @remainder
// CHECK: {{^}}equivalent: @ring
// CHECK: {{^}}equivalent: @drained
// CHECK: {{^}}equivalent: @flagged

func.func @toggled(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<2x8xf32>
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c0, %j] : memref<?x8xf32>
      memref.store %v, %t[%c0, %j] : memref<2x8xf32>
    }
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0) -> (index) {
    %q = arith.subi %c1, %p : index
    %k = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %k, %n : index
    scf.if %more {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %A[%k, %j] : memref<?x8xf32>
        memref.store %v, %t[%q, %j] : memref<2x8xf32>
      }
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %t[%p, %j] : memref<2x8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%i, %j] : memref<?x8xf32>
    }
    scf.yield %q : index
  }
  return
}
func.func @remainder(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<2x8xf32>
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c0, %j] : memref<?x8xf32>
      memref.store %v, %t[%c0, %j] : memref<2x8xf32>
    }
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0) -> (index) {
    %k = arith.addi %i, %c1 : index
    %q = arith.remsi %k, %c2 : index
    %more = arith.cmpi slt, %k, %n : index
    scf.if %more {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %A[%k, %j] : memref<?x8xf32>
        memref.store %v, %t[%q, %j] : memref<2x8xf32>
      }
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %t[%p, %j] : memref<2x8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%i, %j] : memref<?x8xf32>
    }
    scf.yield %q : index
  }
  return
}
func.func @ring(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<3x8xf32>
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c0, %j] : memref<?x8xf32>
      memref.store %v, %t[%c0, %j] : memref<3x8xf32>
    }
  }
  %two = arith.cmpi slt, %c1, %n : index
  scf.if %two {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c1, %j] : memref<?x8xf32>
      memref.store %v, %t[%c1, %j] : memref<3x8xf32>
    }
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0, %q = %c2) -> (index, index) {
    %k = arith.addi %i, %c2 : index
    %left = affine.apply affine_map<(i)[n] -> (n - i)>(%i)[%n]
    %more = arith.cmpi slt, %c2, %left : index
    scf.if %more {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %A[%k, %j] : memref<?x8xf32>
        memref.store %v, %t[%q, %j] : memref<3x8xf32>
      }
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %t[%p, %j] : memref<3x8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%i, %j] : memref<?x8xf32>
    }
    %p1 = arith.addi %p, %c1 : index
    %pe = arith.cmpi eq, %p1, %c3 : index
    %np = arith.select %pe, %c0, %p1 : index
    %q1 = arith.addi %q, %c1 : index
    %qe = arith.cmpi eq, %q1, %c3 : index
    %nq = arith.select %qe, %c0, %q1 : index
    scf.yield %np, %nq : index, index
  }
  return
}
func.func @drained(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<2x8xf32>
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c0, %j] : memref<?x8xf32>
      memref.store %v, %t[%c0, %j] : memref<2x8xf32>
    }
    %last = arith.subi %n, %c1 : index
    %r = scf.for %i = %c0 to %last step %c1 iter_args(%p = %c0) -> (index) {
      %q = arith.subi %c1, %p : index
      %k = arith.addi %i, %c1 : index
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %A[%k, %j] : memref<?x8xf32>
        memref.store %v, %t[%q, %j] : memref<2x8xf32>
      }
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %t[%p, %j] : memref<2x8xf32>
        %w = arith.mulf %v, %v : f32
        memref.store %w, %R[%i, %j] : memref<?x8xf32>
      }
      scf.yield %q : index
    }
    %parity = arith.remsi %last, %c2 : index
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %t[%parity, %j] : memref<2x8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%last, %j] : memref<?x8xf32>
    }
  }
  return
}
func.func @flagged(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<2x8xf32>
  %true = arith.constant true
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %A[%c0, %j] : memref<?x8xf32>
      memref.store %v, %t[%c0, %j] : memref<2x8xf32>
    }
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%even = %true) -> (i1) {
    %p = arith.select %even, %c0, %c1 : index
    %q = arith.select %even, %c1, %c0 : index
    %k = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %k, %n : index
    scf.if %more {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %A[%k, %j] : memref<?x8xf32>
        memref.store %v, %t[%q, %j] : memref<2x8xf32>
      }
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %t[%p, %j] : memref<2x8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%i, %j] : memref<?x8xf32>
    }
    %odd = arith.xori %even, %true : i1
    scf.yield %odd : i1
  }
  return
}
