// One row of a plane, by two views of which each drops a dimension.
func.func @row(%A: memref<4x8x6xf32>, %p: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %plane = memref.subview %A[%p, 0, 0] [1, 8, 6] [1, 1, 1] : memref<4x8x6xf32> to memref<8x6xf32, strided<[6, 1], offset: ?>>
  %row = memref.subview %plane[2, 0] [1, 3] [1, 2] : memref<8x6xf32, strided<[6, 1], offset: ?>> to memref<3xf32, strided<[2], offset: ?>>
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %row[%i] : memref<3xf32, strided<[2], offset: ?>>
    %w = arith.mulf %v, %x : f32
    memref.store %w, %row[%i] : memref<3xf32, strided<[2], offset: ?>>
  }
  %r = memref.load %A[%p, %c3, %c1] : memref<4x8x6xf32>
  return %r : f32
}
