// A memref that is returned: its extents, what lies in it, and which buffer it is. A vector that is given and returned.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s
// RUN: %exits 1 hecv check %t/src.mlir %t/bad.mlir | FileCheck %s --check-prefix=BAD

// CHECK: {{^}}equivalent: @doubled
// CHECK: {{^}}equivalent: @argument
// CHECK: {{^}}equivalent: @table
// CHECK: {{^}}equivalent: @twice
// CHECK: {{^}}equivalent: @tensor
// CHECK: {{^}}equivalent: @vector
// CHECK: {{^}}equivalent: @filled

// BAD: {{^}}not equivalent: @doubled
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @argument
// BAD:   source   result0[0] is %A[1]
// BAD-NEXT:   target   result0[0] is memory of its own
// BAD:   = note: writing to result0[0] changes %A[1] in the source and not in the
// BAD-NEXT: target
// BAD-NEXT:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @table
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @twice
// BAD:   source   result1[0] is result0[0]
// BAD-NEXT:   target   result1[0] is memory of its own
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @tensor
// BAD:   target   undefined: %result0 has other extents than what is returned
// BAD: {{^}}not equivalent: @vector
// BAD-NEXT:   input    %c = vector<2xi1> [{{.*}}], %a = vector<2xi8> [{{.*}}]
// BAD-NEXT:   source   result0 = [
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @filled

//--- src.mlir
memref.global @state : memref<4xi32> = dense<3>
func.func @doubled(%A: memref<?xf32>) -> (memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %B = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %B[%i] : memref<?xf32>
  }
  return %B, %zero : memref<?xf32>, f32
}
func.func @argument(%A: memref<8xf32>) -> memref<4xf32, strided<[2], offset: 1>> {
  %s = memref.subview %A[1] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
  return %s : memref<4xf32, strided<[2], offset: 1>>
}
func.func @table(%x: i32) -> memref<4xi32> {
  %T = memref.get_global @state : memref<4xi32>
  affine.store %x, %T[0] : memref<4xi32>
  return %T : memref<4xi32>
}
func.func @twice(%x: i32) -> (memref<4xi32>, memref<4xi32>) {
  %A = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.store %x, %A[%i] : memref<4xi32>
  }
  return %A, %A : memref<4xi32>, memref<4xi32>
}
func.func @tensor(%n: index, %x: f32) -> tensor<?xf32> {
  %t = tensor.splat %x[%n] : tensor<?xf32>
  return %t : tensor<?xf32>
}
func.func @vector(%c: vector<2xi1>, %a: vector<2xi8>) -> vector<2xi8> {
  %k = arith.constant dense<3> : vector<2xi8>
  %r = arith.select %c, %a, %k : vector<2xi1>, vector<2xi8>
  return %r : vector<2xi8>
}
func.func @filled(%x: f32) -> (memref<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %A = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return %A, %x : memref<8xf32>, f32
}

//--- tgt.mlir
memref.global @state : memref<4xi32> = dense<3>
func.func @doubled(%X: memref<?xf32>) -> (memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %X, %c0 : memref<?xf32>
  %B = memref.alloc(%n) : memref<?xf32>
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c4 {
    %next = arith.addi %t, %c4 : index
    %end = arith.minsi %next, %n : index
    scf.for %i = %t to %end step %c1 {
      %x = memref.load %X[%i] : memref<?xf32>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %B[%i] : memref<?xf32>
    }
  }
  return %B, %zero : memref<?xf32>, f32
}
func.func @argument(%X: memref<8xf32>) -> memref<4xf32, strided<[2], offset: 1>> {
  %h = memref.subview %X[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
  %s = memref.subview %h[0] [4] [2] : memref<7xf32, strided<[1], offset: 1>> to memref<4xf32, strided<[2], offset: 1>>
  return %s : memref<4xf32, strided<[2], offset: 1>>
}
func.func private @first(%x: i32) -> memref<4xi32> {
  %T = memref.get_global @state : memref<4xi32>
  affine.store %x, %T[0] : memref<4xi32>
  return %T : memref<4xi32>
}
func.func @table(%x: i32) -> memref<4xi32> {
  %T = func.call @first(%x) : (i32) -> memref<4xi32>
  return %T : memref<4xi32>
}
func.func @twice(%x: i32) -> (memref<4xi32>, memref<4xi32>) {
  %A = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.store %x, %A[3 - %i] : memref<4xi32>
  }
  return %A, %A : memref<4xi32>, memref<4xi32>
}
func.func @tensor(%n: index, %x: f32) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}
func.func @vector(%c: vector<2xi1>, %a: vector<2xi8>) -> vector<2xi8> {
  %k = arith.constant dense<3> : vector<2xi8>
  %t = arith.constant dense<true> : vector<2xi1>
  %n = arith.xori %c, %t : vector<2xi1>
  %r = arith.select %n, %k, %a : vector<2xi1>, vector<2xi8>
  return %r : vector<2xi8>
}
func.func @filled(%x: f32) -> (memref<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %A = memref.alloc() : memref<8xf32>
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %more, ^body, ^end
^body:
  memref.store %x, %A[%i] : memref<8xf32>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^end:
  return %A, %x : memref<8xf32>, f32
}

//--- bad.mlir
memref.global @state : memref<4xi32> = dense<3>
func.func @doubled(%A: memref<?xf32>) -> (memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %B = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<?xf32>
    %y = arith.mulf %x, %x : f32
    affine.store %y, %B[%i] : memref<?xf32>
  }
  return %B, %zero : memref<?xf32>, f32
}
func.func @argument(%A: memref<8xf32>) -> memref<4xf32, strided<[2], offset: 1>> {
  %B = memref.alloc() : memref<8xf32>
  memref.copy %A, %B : memref<8xf32> to memref<8xf32>
  %s = memref.subview %B[1] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
  return %s : memref<4xf32, strided<[2], offset: 1>>
}
func.func @table(%x: i32) -> memref<4xi32> {
  %T = memref.get_global @state : memref<4xi32>
  affine.store %x, %T[1] : memref<4xi32>
  return %T : memref<4xi32>
}
func.func @twice(%x: i32) -> (memref<4xi32>, memref<4xi32>) {
  %A = memref.alloc() : memref<4xi32>
  %B = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.store %x, %A[%i] : memref<4xi32>
    affine.store %x, %B[%i] : memref<4xi32>
  }
  return %A, %B : memref<4xi32>, memref<4xi32>
}
func.func @tensor(%n: index, %x: f32) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %t = tensor.splat %x[%m] : tensor<?xf32>
  return %t : tensor<?xf32>
}
func.func @vector(%c: vector<2xi1>, %a: vector<2xi8>) -> vector<2xi8> {
  %k = arith.constant dense<[3, 4]> : vector<2xi8>
  %r = arith.select %c, %a, %k : vector<2xi1>, vector<2xi8>
  return %r : vector<2xi8>
}
func.func @filled(%x: f32) -> (memref<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %A = memref.alloc() : memref<8xf32>
  cf.br ^head(%c1 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %more, ^body, ^end
^body:
  memref.store %x, %A[%i] : memref<8xf32>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^end:
  return %A, %x : memref<8xf32>, f32
}
