func.func @pairs(%m: memref<8xi32>) {
  affine.for %i = 0 to 7 step 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 4, 7)>(%i) {
      %v = affine.load %m[%j + 1] : memref<8xi32>
      %w = affine.load %m[%j] : memref<8xi32>
      %y = arith.addi %v, %w : i32
      affine.store %y, %m[%j] : memref<8xi32>
    }
  }
  return
}
