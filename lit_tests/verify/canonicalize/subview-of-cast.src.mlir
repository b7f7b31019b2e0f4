// A window of a buffer whose extents were forgotten, copied to another buffer.
func.func @copied(%A: memref<8x8xf32>, %B: memref<4x4xf32>) {
  %c4 = arith.constant 4 : index
  %any = memref.cast %A : memref<8x8xf32> to memref<?x?xf32>
  %s = memref.subview %any[2, 3] [%c4, %c4] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %t = memref.cast %B : memref<4x4xf32> to memref<?x?xf32>
  memref.copy %s, %t : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32>
  return
}
