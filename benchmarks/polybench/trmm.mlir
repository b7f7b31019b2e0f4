// Triangular matrix product in place: B = alpha*A^T*B for a lower triangular A with unit diagonal (not read).
// Source: the definition of trmm in PolyBench/C 4.2.1.
// Sizes: M = 31, N = 37.

#next = affine_map<(d) -> (d + 1)>

func.func @trmm(%alpha: f64, %A: memref<31x31xf64>, %B: memref<31x37xf64>) {
  affine.for %i = 0 to 31 {
    affine.for %j = 0 to 37 {
      affine.for %k = #next(%i) to 31 {
        %b = affine.load %B[%i, %j] : memref<31x37xf64>
        %a = affine.load %A[%k, %i] : memref<31x31xf64>
        %below = affine.load %B[%k, %j] : memref<31x37xf64>
        %product = arith.mulf %a, %below : f64
        %sum = arith.addf %b, %product : f64
        affine.store %sum, %B[%i, %j] : memref<31x37xf64>
      }
      %b = affine.load %B[%i, %j] : memref<31x37xf64>
      %scaled = arith.mulf %alpha, %b : f64
      affine.store %scaled, %B[%i, %j] : memref<31x37xf64>
    }
  }
  return
}
