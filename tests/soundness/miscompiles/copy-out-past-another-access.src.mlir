func.func @twice(%m: memref<8xi64>, %x: i64) {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to 8 {
    affine.store %x, %m[3] : memref<8xi64>
    memref.store %x, %m[%c3] : memref<8xi64>
  }
  return
}
