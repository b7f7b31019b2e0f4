func.func @maybe(%m: memref<4xi32>, %n: index, %x: i32) {
  affine.for %i = 0 to %n {
    affine.store %x, %m[2] : memref<4xi32>
  }
  return
}
