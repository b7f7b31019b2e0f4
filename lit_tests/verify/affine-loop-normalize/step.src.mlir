// From 3 in steps of 4: five iterations.
func.func @strided(%A: memref<20xf32>, %x: f32) {
  affine.for %i = 3 to 20 step 4 {
    %a = affine.load %A[%i] : memref<20xf32>
    %b = arith.mulf %a, %x : f32
    affine.store %b, %A[%i] : memref<20xf32>
  }
  return
}
