func.func @every_third(%m: memref<24xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = -4 to 8 step 3 {
    affine.store %c1, %m[%i + 8] : memref<24xi32>
  }
  return
}
