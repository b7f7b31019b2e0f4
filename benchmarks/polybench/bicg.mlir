// The two products of a BiCG step in one pass over the matrix: s = A^T*r and q = A*p.
// Source: the definition of bicg in PolyBench/C 4.2.1.
// Sizes: M = 43, N = 35.

func.func @bicg(%A: memref<35x43xf64>, %s: memref<43xf64>, %q: memref<35xf64>, %p: memref<43xf64>, %r: memref<35xf64>) {
  affine.for %i = 0 to 43 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %s[%i] : memref<43xf64>
  }
  affine.for %i = 0 to 35 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %q[%i] : memref<35xf64>
    affine.for %j = 0 to 43 {
      %s_old = affine.load %s[%j] : memref<43xf64>
      %r_i = affine.load %r[%i] : memref<35xf64>
      %a = affine.load %A[%i, %j] : memref<35x43xf64>
      %s_term = arith.mulf %r_i, %a : f64
      %s_new = arith.addf %s_old, %s_term : f64
      affine.store %s_new, %s[%j] : memref<43xf64>
      %q_old = affine.load %q[%i] : memref<35xf64>
      %p_j = affine.load %p[%j] : memref<43xf64>
      %a_again = affine.load %A[%i, %j] : memref<35x43xf64>
      %q_term = arith.mulf %a_again, %p_j : f64
      %q_new = arith.addf %q_old, %q_term : f64
      affine.store %q_new, %q[%i] : memref<35xf64>
    }
  }
  return
}
