// mlir-opt whiles.src.mlir --one-shot-bufferize=bufferize-function-boundaries, then changed by hand
// Verdict: not equivalent
// Changed: @until inserts before it reads; it was
//   %old = memref.load %arg1[%arg2] : memref<?xi32, strided<[?], offset: ?>>
//   memref.store %zero, %arg1[%arg2] : memref<?xi32, strided<[?], offset: ?>>
// RUN: %exits 1 hecv check %S/whiles.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @fill
// CHECK: {{^}}not equivalent: @until

module {
  func.func @fill(%t: memref<?xi32, strided<[?], offset: ?>>, %x: i32) -> memref<?xi32, strided<[?], offset: ?>> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %t, %c0 : memref<?xi32, strided<[?], offset: ?>>
    %0:2 = scf.while (%arg2 = %t, %arg3 = %c0) : (memref<?xi32, strided<[?], offset: ?>>, index) -> (memref<?xi32, strided<[?], offset: ?>>, index) {
      %more = arith.cmpi slt, %arg3, %n : index
      scf.condition(%more) %arg2, %arg3 : memref<?xi32, strided<[?], offset: ?>>, index
    } do {
    ^bb0(%arg2: memref<?xi32, strided<[?], offset: ?>>, %arg3: index):
      memref.store %x, %arg2[%arg3] : memref<?xi32, strided<[?], offset: ?>>
      %j = arith.addi %arg3, %c1 : index
      scf.yield %arg2, %j : memref<?xi32, strided<[?], offset: ?>>, index
    }
    return %0#0 : memref<?xi32, strided<[?], offset: ?>>
  }
  func.func @until(%t: memref<?xi32, strided<[?], offset: ?>>) -> (memref<?xi32, strided<[?], offset: ?>>, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %0:2 = scf.while (%arg1 = %t, %arg2 = %c0) : (memref<?xi32, strided<[?], offset: ?>>, index) -> (memref<?xi32, strided<[?], offset: ?>>, index) {
      memref.store %zero, %arg1[%arg2] : memref<?xi32, strided<[?], offset: ?>>
      %old = memref.load %arg1[%arg2] : memref<?xi32, strided<[?], offset: ?>>
      %more = arith.cmpi ne, %old, %zero : i32
      scf.condition(%more) %arg1, %arg2 : memref<?xi32, strided<[?], offset: ?>>, index
    } do {
    ^bb0(%arg1: memref<?xi32, strided<[?], offset: ?>>, %arg2: index):
      %j = arith.addi %arg2, %c1 : index
      scf.yield %arg1, %j : memref<?xi32, strided<[?], offset: ?>>, index
    }
    return %0#0, %0#1 : memref<?xi32, strided<[?], offset: ?>>, index
  }
}
