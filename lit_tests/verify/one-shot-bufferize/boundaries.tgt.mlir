// mlir-opt boundaries.src.mlir --one-shot-bufferize=bufferize-function-boundaries
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/boundaries.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @layer
// CHECK: {{^}}equivalent: @sum
// CHECK: {{^}}equivalent: @keep
// CHECK:   = assumes: the buffer of a tensor argument holds nothing else, and no one

module {
  func.func @layer(%arg0: memref<4x8xf32, strided<[?, ?], offset: ?>>, %arg1: memref<8x6xf32, strided<[?, ?], offset: ?>>, %arg2: memref<4x6xf32, strided<[?, ?], offset: ?>>) -> memref<4x6xf32, strided<[?, ?], offset: ?>> {
    linalg.matmul ins(%arg0, %arg1 : memref<4x8xf32, strided<[?, ?], offset: ?>>, memref<8x6xf32, strided<[?, ?], offset: ?>>) outs(%arg2 : memref<4x6xf32, strided<[?, ?], offset: ?>>)
    return %arg2 : memref<4x6xf32, strided<[?, ?], offset: ?>>
  }
  func.func @sum(%arg0: memref<?xi32, strided<[?], offset: ?>>, %arg1: memref<?xi32, strided<[?], offset: ?>>) -> (memref<?xi32>, index) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xi32, strided<[?], offset: ?>>
    %alloc = memref.alloc(%dim) {alignment = 64 : i64} : memref<?xi32>
    linalg.add ins(%arg0, %arg1 : memref<?xi32, strided<[?], offset: ?>>, memref<?xi32, strided<[?], offset: ?>>) outs(%alloc : memref<?xi32>)
    %cast = memref.cast %alloc : memref<?xi32> to memref<?xi32, strided<[?], offset: ?>>
    return %alloc, %dim : memref<?xi32>, index
  }
  func.func @keep(%arg0: memref<8xi32, strided<[?], offset: ?>>, %arg1: i32, %arg2: index, %arg3: index) -> (memref<8xi32>, i32) {
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<8xi32>
    memref.copy %arg0, %alloc : memref<8xi32, strided<[?], offset: ?>> to memref<8xi32>
    memref.store %arg1, %alloc[%arg2] : memref<8xi32>
    %0 = memref.load %arg0[%arg3] : memref<8xi32, strided<[?], offset: ?>>
    %cast = memref.cast %alloc : memref<8xi32> to memref<8xi32, strided<[?], offset: ?>>
    return %alloc, %0 : memref<8xi32>, i32
  }
}

