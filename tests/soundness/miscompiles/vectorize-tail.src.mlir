func.func @double(%m: memref<8xi32>) {
  affine.for %j = 0 to 6 {
    %v = affine.load %m[%j] : memref<8xi32>
    %w = arith.addi %v, %v : i32
    affine.store %w, %m[%j] : memref<8xi32>
  }
  return
}
