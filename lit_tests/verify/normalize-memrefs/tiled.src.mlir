// A buffer that is kept in tiles of 4 by 4.
func.func @tiles(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  %T = memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 4, d0 mod 4, d1 mod 4)>>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %s = arith.mulf %a, %a : f32
      affine.store %s, %T[%i, %j] : memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 4, d0 mod 4, d1 mod 4)>>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %t = affine.load %T[%j, %i] : memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 4, d0 mod 4, d1 mod 4)>>
      affine.store %t, %B[%i, %j] : memref<8x8xf32>
    }
  }
  memref.dealloc %T : memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 4, d0 mod 4, d1 mod 4)>>
  return
}
