// 10 iterations in steps of 4 leave a clean-up loop of two.
func.func @scale(%A: memref<10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    %b = arith.mulf %a, %x : f32
    affine.store %b, %A[%i] : memref<10xf32>
  }
  return
}
