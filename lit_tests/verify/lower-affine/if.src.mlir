// A condition on arguments of any size: that its sums do not overflow is assumed of the source, and so known of the
// target.
func.func @guard(%A: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0)[s0, s1] : (s1 - d0 + s0 - 10 >= 0, d0 mod 8 - 3 == 0, d0 - s1 floordiv 3 >= 0)>(%i)[%n, %m] {
      %a = affine.load %A[%i] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %A[%i] : memref<?xf32>
    } else {
      %a = affine.load %A[%i] : memref<?xf32>
      %b = arith.mulf %a, %a : f32
      affine.store %b, %A[%i] : memref<?xf32>
    }
  }
  return
}
