// llvm-project issue 210490: the producer of a value is computed again in the consumer, from what it overwrote.
// expect: value
func.func @scale(%p: memref<6xf32>, %d: memref<3xf32>, %c: f32) {
  affine.for %i = 0 to 6 {
    %v = affine.load %p[%i] : memref<6xf32>
    %w = arith.mulf %v, %c : f32
    affine.store %w, %p[%i] : memref<6xf32>
  }
  affine.for %i = 0 to 3 {
    %v = affine.load %p[%i] : memref<6xf32>
    %w = arith.mulf %v, %c : f32
    affine.store %w, %d[%i] : memref<3xf32>
  }
  return
}
