func.func @shift(%a: memref<10xi32>, %b: memref<10xi32>) {
  %c5 = arith.constant 5 : i32
  affine.for %i = 0 to 9 {
    %v = affine.load %a[%i + 1] : memref<10xi32>
    affine.store %v, %b[%i] : memref<10xi32>
  }
  affine.for %i = 0 to 9 {
    affine.store %c5, %a[%i + 1] : memref<10xi32>
  }
  return
}
