// Rounded to bf16 once, or to f32 first: it makes no difference.
func.func @scaled(%A: memref<?x16xbf16>, %B: memref<?x16xbf16>, %w: memref<16xbf16>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 16 {
      %a = affine.load %A[%i, %j] : memref<?x16xbf16>
      %s = affine.load %w[%j] : memref<16xbf16>
      %p = arith.divf %a, %s : bf16
      affine.store %p, %B[%i, %j] : memref<?x16xbf16>
    }
  }
  return
}
