func.func @evens(%m: memref<16xi32>, %x: i32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %m[%i * 2] : memref<16xi32>
  }
  return
}
