func.func @alias(%m: memref<8xi32>) {
  %v = memref.reinterpret_cast %m to offset: [0], sizes: [6], strides: [1] : memref<8xi32> to memref<6xi32, strided<[1]>>
  affine.for %i = 0 to 4 {
    %x = affine.load %m[%i] : memref<8xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %v[%i + 1] : memref<6xi32, strided<[1]>>
  }
  return
}
