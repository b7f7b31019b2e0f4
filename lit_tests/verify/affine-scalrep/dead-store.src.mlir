// The first store to B[i] is overwritten before anything reads it.
func.func @twice(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    affine.store %x, %B[%i] : memref<8xf32>
    %b = arith.addf %a, %x : f32
    affine.store %b, %B[%i] : memref<8xf32>
  }
  return
}
