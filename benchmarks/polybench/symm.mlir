// Symmetric matrix product: C = alpha*A*B + beta*C, where the lower triangle of A is stored.
// Source: the definition of symm in PolyBench/C 4.2.1; the scalar temp2 is a loop-carried value.
// Sizes: M = 23, N = 29.

#same = affine_map<(d) -> (d)>

func.func @symm(%alpha: f64, %beta: f64,
                %C: memref<23x29xf64>, %A: memref<23x23xf64>, %B: memref<23x29xf64>) {
  affine.for %i = 0 to 23 {
    affine.for %j = 0 to 29 {
      %zero = arith.constant 0.0 : f64
      %temp2_out = affine.for %k = 0 to #same(%i) iter_args(%temp2_in = %zero) -> (f64) {
        %c = affine.load %C[%k, %j] : memref<23x29xf64>
        %b = affine.load %B[%i, %j] : memref<23x29xf64>
        %product = arith.mulf %alpha, %b : f64
        %a = affine.load %A[%i, %k] : memref<23x23xf64>
        %product_1 = arith.mulf %product, %a : f64
        %sum = arith.addf %c, %product_1 : f64
        affine.store %sum, %C[%k, %j] : memref<23x29xf64>
        %b_1 = affine.load %B[%k, %j] : memref<23x29xf64>
        %a_1 = affine.load %A[%i, %k] : memref<23x23xf64>
        %product_2 = arith.mulf %b_1, %a_1 : f64
        %sum_1 = arith.addf %temp2_in, %product_2 : f64
        affine.yield %sum_1 : f64
      }
      %c = affine.load %C[%i, %j] : memref<23x29xf64>
      %product = arith.mulf %beta, %c : f64
      %b = affine.load %B[%i, %j] : memref<23x29xf64>
      %product_1 = arith.mulf %alpha, %b : f64
      %a = affine.load %A[%i, %i] : memref<23x23xf64>
      %product_2 = arith.mulf %product_1, %a : f64
      %sum = arith.addf %product, %product_2 : f64
      %product_3 = arith.mulf %alpha, %temp2_out : f64
      %sum_1 = arith.addf %sum, %product_3 : f64
      affine.store %sum_1, %C[%i, %j] : memref<23x29xf64>
    }
  }
  return
}
