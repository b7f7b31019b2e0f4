// Rank-2 update and two matrix-vector products: A += u1*v1^T + u2*v2^T, x += beta*A^T*y + z, w += alpha*A*x.
// Source: the definition of gemver in PolyBench/C 4.2.1.
// Sizes: N = 41.

func.func @gemver(%alpha: f64, %beta: f64,
                  %A: memref<41x41xf64>, %u1: memref<41xf64>, %v1: memref<41xf64>, %u2: memref<41xf64>,
                  %v2: memref<41xf64>, %w: memref<41xf64>, %x: memref<41xf64>, %y: memref<41xf64>,
                  %z: memref<41xf64>) {
  affine.for %i = 0 to 41 {
    affine.for %j = 0 to 41 {
      %a = affine.load %A[%i, %j] : memref<41x41xf64>
      %u1_at = affine.load %u1[%i] : memref<41xf64>
      %v1_at = affine.load %v1[%j] : memref<41xf64>
      %product = arith.mulf %u1_at, %v1_at : f64
      %sum = arith.addf %a, %product : f64
      %u2_at = affine.load %u2[%i] : memref<41xf64>
      %v2_at = affine.load %v2[%j] : memref<41xf64>
      %product_1 = arith.mulf %u2_at, %v2_at : f64
      %sum_1 = arith.addf %sum, %product_1 : f64
      affine.store %sum_1, %A[%i, %j] : memref<41x41xf64>
    }
  }
  affine.for %i = 0 to 41 {
    affine.for %j = 0 to 41 {
      %x_at = affine.load %x[%i] : memref<41xf64>
      %a = affine.load %A[%j, %i] : memref<41x41xf64>
      %product = arith.mulf %beta, %a : f64
      %y_at = affine.load %y[%j] : memref<41xf64>
      %product_1 = arith.mulf %product, %y_at : f64
      %sum = arith.addf %x_at, %product_1 : f64
      affine.store %sum, %x[%i] : memref<41xf64>
    }
  }
  affine.for %i = 0 to 41 {
    %x_at = affine.load %x[%i] : memref<41xf64>
    %z_at = affine.load %z[%i] : memref<41xf64>
    %sum = arith.addf %x_at, %z_at : f64
    affine.store %sum, %x[%i] : memref<41xf64>
  }
  affine.for %i = 0 to 41 {
    affine.for %j = 0 to 41 {
      %w_at = affine.load %w[%i] : memref<41xf64>
      %a = affine.load %A[%i, %j] : memref<41x41xf64>
      %product = arith.mulf %alpha, %a : f64
      %x_at = affine.load %x[%j] : memref<41xf64>
      %product_1 = arith.mulf %product, %x_at : f64
      %sum = arith.addf %w_at, %product_1 : f64
      affine.store %sum, %w[%i] : memref<41xf64>
    }
  }
  return
}
