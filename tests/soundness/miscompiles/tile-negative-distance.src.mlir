func.func @skew(%m: memref<5x5xi32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 1 to 5 {
      %v = affine.load %m[%i + 1, %j - 1] : memref<5x5xi32>
      affine.store %v, %m[%i, %j] : memref<5x5xi32>
    }
  }
  return
}
