// A buffer in which each row begins one element later.
func.func @skewed(%x: f32, %B: memref<4x6xf32>) {
  %T = memref.alloc() : memref<4x6xf32, affine_map<(d0, d1) -> (d0, d1 + d0)>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      affine.store %x, %T[%i, %j] : memref<4x6xf32, affine_map<(d0, d1) -> (d0, d1 + d0)>>
      %t = affine.load %T[%i, %j] : memref<4x6xf32, affine_map<(d0, d1) -> (d0, d1 + d0)>>
      affine.store %t, %B[%i, %j] : memref<4x6xf32>
    }
  }
  return
}
