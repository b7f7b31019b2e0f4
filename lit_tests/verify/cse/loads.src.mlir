// The second load of A[i] is the first; the third comes after a store to A and must stay.
func.func @loads(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    %b = affine.load %A[%i] : memref<8xf32>
    %c = arith.mulf %a, %b : f32
    affine.store %c, %A[%i] : memref<8xf32>
    %d = affine.load %A[%i] : memref<8xf32>
    %e = arith.addf %d, %x : f32
    affine.store %e, %B[%i] : memref<8xf32>
  }
  return
}
