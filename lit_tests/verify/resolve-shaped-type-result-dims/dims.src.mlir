// The loop runs over the extents of a view.
func.func @fill(%A: memref<?x?xf32>, %m: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %s = memref.subview %A[0, 1] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 1>>
  %rows = memref.dim %s, %c0 : memref<?x?xf32, strided<[?, 1], offset: 1>>
  %columns = memref.dim %s, %c1 : memref<?x?xf32, strided<[?, 1], offset: 1>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      memref.store %x, %s[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 1>>
    }
  }
  return
}
