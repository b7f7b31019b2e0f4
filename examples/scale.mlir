// Doubles A[lo], ..., A[9].
func.func @scale(%lo: index, %A: memref<?xf32>) {
  affine.for %i = %lo to 10 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
