// A tile is copied to a buffer, and used from there.
func.func @copied(%a: memref<32x8xf32>, %b: memref<32x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %tmp = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c32 step %c1 {
    %row = memref.subview %a[%i, 0][1, 8][1, 1] : memref<32x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %row, %tmp : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %tmp[%j] : memref<8xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %b[%i, %j] : memref<32x8xf32>
    }
  }
  return
}
func.func @tiles(%a: memref<?xf32>, %b: memref<?xf32>, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %tmp = memref.alloc() : memref<4xf32>
  scf.for %i = %lb to %ub step %c4 {
    %tile = memref.subview %a[%i][4][1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %tile, %tmp : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %tmp[%j] : memref<4xf32>
      %w = arith.mulf %v, %v : f32
      %k = arith.addi %i, %j : index
      memref.store %w, %b[%k] : memref<?xf32>
    }
  }
  return
}
