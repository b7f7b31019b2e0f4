// Float maxima and minima become compares and selects, NaN included.
func.func @extrema(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %b = affine.load %B[%i] : memref<16xf32>
    %m = arith.maximumf %a, %b : f32
    affine.store %m, %C[%i] : memref<16xf32>
  }
  return
}
