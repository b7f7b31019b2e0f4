// The consumer reads the transpose of what the producer writes.
func.func @chain(%A: memref<6x8xf32>, %B: memref<8x6xf32>) {
  %T = memref.alloc() : memref<6x8xf32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<6x8xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %T[%i, %j] : memref<6x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 6 {
      %t = affine.load %T[%j, %i] : memref<6x8xf32>
      affine.store %t, %B[%i, %j] : memref<8x6xf32>
    }
  }
  memref.dealloc %T : memref<6x8xf32>
  return
}
