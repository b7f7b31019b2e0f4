func.func @sum(%x: memref<64x32xi32>, %out: memref<64xi32>) {
  %z = arith.constant 0 : i32
  affine.for %i = 0 to 64 {
    %s = affine.for %j = 0 to 32 iter_args(%acc = %z) -> i32 {
      %0 = affine.load %x[%i, %j] : memref<64x32xi32>
      %1 = arith.addi %acc, %0 : i32
      affine.yield %1 : i32
    }
    affine.store %s, %out[%i] : memref<64xi32>
  }
  return
}
