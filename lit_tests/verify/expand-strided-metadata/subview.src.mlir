// A block of a matrix becomes offset, sizes and strides of the whole buffer.
func.func @block(%A: memref<8x8xf32>, %n: index) {
  %s = memref.subview %A[%n, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %v = affine.load %s[%i, %j] : memref<4x4xf32, strided<[8, 1], offset: ?>>
      %w = arith.addf %v, %v : f32
      affine.store %w, %s[%i, %j] : memref<4x4xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}
