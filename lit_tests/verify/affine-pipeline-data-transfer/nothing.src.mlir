// Without transfers nothing changes.
func.func @plain(%A: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %b = arith.negf %a : f32
    affine.store %b, %A[%i] : memref<16xf32>
  }
  return
}
