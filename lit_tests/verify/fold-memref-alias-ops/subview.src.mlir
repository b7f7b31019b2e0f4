// A window that moves and skips rows, read through its transpose.
func.func @window(%A: memref<16x?xf32>, %n: index, %m: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = memref.subview %A[%n, %m] [4, %c] [2, 1] : memref<16x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c step %c1 {
      %v = memref.load %s[%i, %j] : memref<4x?xf32, strided<[?, 1], offset: ?>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %s[%i, %j] : memref<4x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
