// The two products of a BiCG step in one pass over the matrix: s = A^T*r and q = A*p.
// Source: the definition of bicg in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @bicg(%m: index, %n: index,
                %A: memref<?x?xf64>, %s: memref<?xf64>, %q: memref<?xf64>, %p: memref<?xf64>, %r: memref<?xf64>) {
  affine.for %i = 0 to %m {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      %s_old = affine.load %s[%j] : memref<?xf64>
      %r_i = affine.load %r[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s_term = arith.mulf %r_i, %a : f64
      %s_new = arith.addf %s_old, %s_term : f64
      affine.store %s_new, %s[%j] : memref<?xf64>
      %q_old = affine.load %q[%i] : memref<?xf64>
      %p_j = affine.load %p[%j] : memref<?xf64>
      %a_again = affine.load %A[%i, %j] : memref<?x?xf64>
      %q_term = arith.mulf %a_again, %p_j : f64
      %q_new = arith.addf %q_old, %q_term : f64
      affine.store %q_new, %q[%i] : memref<?xf64>
    }
  }
  return
}
