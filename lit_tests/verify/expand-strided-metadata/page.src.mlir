// A page of rows of eight, of which how many there are is not known: the position of an element is `8*(i*n + k) + j`.

func.func @clear(%A: memref<4x?x8xf32>, %i: index, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = memref.subview %A[%i, 0, 0] [1, %n, 8] [1, 1, 1]
    : memref<4x?x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
  scf.for %k = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %x, %s[%k, %j] : memref<?x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}
