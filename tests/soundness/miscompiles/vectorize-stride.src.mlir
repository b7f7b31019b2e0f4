func.func @sparse(%m: memref<40xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %m[%i * 4] : memref<40xf32>
  }
  return
}
