// Levinson-Durbin recursion: solves a Yule-Walker system, through a local z.
// Source: the definition of durbin in PolyBench/C 4.2.1; its scalars are loop-carried values.
// Sizes: N = 47.

#same = affine_map<(d) -> (d)>

func.func @durbin(%r: memref<47xf64>, %y: memref<47xf64>) {
  %z = memref.alloc() : memref<47xf64>
  %r_at = affine.load %r[0] : memref<47xf64>
  %negated = arith.negf %r_at : f64
  affine.store %negated, %y[0] : memref<47xf64>
  %one = arith.constant 1.0 : f64
  %r_at_1 = affine.load %r[0] : memref<47xf64>
  %negated_1 = arith.negf %r_at_1 : f64
  %carried:2 = affine.for %k = 1 to 47 iter_args(%beta_in = %one, %alpha_in = %negated_1) -> (f64, f64) {
    %product = arith.mulf %alpha_in, %alpha_in : f64
    %difference = arith.subf %one, %product : f64
    %product_1 = arith.mulf %difference, %beta_in : f64
    %zero = arith.constant 0.0 : f64
    %total_out = affine.for %i = 0 to #same(%k) iter_args(%total_in = %zero) -> (f64) {
      %r_at_2 = affine.load %r[%k - %i - 1] : memref<47xf64>
      %y_at = affine.load %y[%i] : memref<47xf64>
      %product_2 = arith.mulf %r_at_2, %y_at : f64
      %sum = arith.addf %total_in, %product_2 : f64
      affine.yield %sum : f64
    }
    %r_at_2 = affine.load %r[%k] : memref<47xf64>
    %sum = arith.addf %r_at_2, %total_out : f64
    %negated_2 = arith.negf %sum : f64
    %quotient = arith.divf %negated_2, %product_1 : f64
    affine.for %i = 0 to #same(%k) {
      %y_at = affine.load %y[%i] : memref<47xf64>
      %y_at_1 = affine.load %y[%k - %i - 1] : memref<47xf64>
      %product_2 = arith.mulf %quotient, %y_at_1 : f64
      %sum_1 = arith.addf %y_at, %product_2 : f64
      affine.store %sum_1, %z[%i] : memref<47xf64>
    }
    affine.for %i = 0 to #same(%k) {
      %z_at = affine.load %z[%i] : memref<47xf64>
      affine.store %z_at, %y[%i] : memref<47xf64>
    }
    affine.store %quotient, %y[%k] : memref<47xf64>
    affine.yield %product_1, %quotient : f64, f64
  }
  memref.dealloc %z : memref<47xf64>
  return
}
