// The sine and the cosine of each element, by two functions of the library.
func.func @polar(%A: memref<?xf32>, %S: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xf32>
    %s = math.sin %v : f32
    %c = math.cos %v : f32
    affine.store %s, %S[%i] : memref<?xf32>
    affine.store %c, %C[%i] : memref<?xf32>
  }
  return
}
