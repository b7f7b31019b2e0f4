func.func @carry(%m: memref<6x6xi32>) {
  affine.for %i = 1 to 5 {
    affine.for %j = 0 to 5 {
      %v = affine.load %m[%i - 1, %j + 1] : memref<6x6xi32>
      affine.store %v, %m[%i, %j] : memref<6x6xi32>
    }
  }
  return
}
