// Products of arguments of any size, and divisions of their sums: that what an affine expression computes on the way
// does not overflow either is assumed of the source, and so known of the target.
func.func @guard(%A: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0)[s0, s1] : (2 * s1 - d0 + s0 - 10 >= 0, (s1 + d0) mod 3 - 1 == 0, (d0 - 5 * s1 + s0) floordiv 4 - d0 >= 0)>(%i)[%n, %m] {
      %a = affine.load %A[%i] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %A[%i] : memref<?xf32>
    }
  }
  return
}
