// Triangular matrix product in place: B = alpha*A^T*B for a lower triangular A with unit diagonal (not read).
// Source: the definition of trmm in PolyBench/C 4.2.1.
// All sizes are arguments.

#next = affine_map<(d) -> (d + 1)>

func.func @trmm(%m: index, %n: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = #next(%i) to %m {
        %b = affine.load %B[%i, %j] : memref<?x?xf64>
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %below = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %below : f64
        %sum = arith.addf %b, %product : f64
        affine.store %sum, %B[%i, %j] : memref<?x?xf64>
      }
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %alpha, %b : f64
      affine.store %scaled, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
