// Strips of one loop keep its order, tiles of two do not: an element of %B may be one of %A in the row below.
func.func @strips(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %m = arith.mulf %a, %x : f32
    affine.store %m, %B[%i] : memref<?xf32>
  }
  return
}
func.func @tiles(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %m = arith.mulf %a, %x : f32
      affine.store %m, %B[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
