func.func @evens(%in: memref<16xi32>, %out: memref<8xi32>) {
  %t = memref.alloc() : memref<16xi32>
  %c29 = arith.constant 29 : i32
  affine.store %c29, %t[0] : memref<16xi32>
  affine.for %i = 1 to 16 {
    %p = affine.load %t[%i - 1] : memref<16xi32>
    %v = affine.load %in[%i] : memref<16xi32>
    %s = arith.addi %p, %v : i32
    affine.store %s, %t[%i] : memref<16xi32>
  }
  affine.for %j = 0 to 8 {
    %v = affine.load %t[%j * 2] : memref<16xi32>
    affine.store %v, %out[%j] : memref<8xi32>
  }
  memref.dealloc %t : memref<16xi32>
  return
}
