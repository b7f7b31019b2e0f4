// Sum of two matrix-vector products: y = alpha*A*x + beta*B*x, with tmp = A*x.
// Source: the definition of gesummv in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @gesummv(%n: index,
                   %alpha: f64, %beta: f64,
                   %A: memref<?x?xf64>, %B: memref<?x?xf64>, %tmp: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.store %zero, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_a = affine.load %x[%j] : memref<?xf64>
      %t = affine.load %tmp[%i] : memref<?xf64>
      %a_term = arith.mulf %a, %x_a : f64
      %a_sum = arith.addf %a_term, %t : f64
      affine.store %a_sum, %tmp[%i] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %x_b = affine.load %x[%j] : memref<?xf64>
      %u = affine.load %y[%i] : memref<?xf64>
      %b_term = arith.mulf %b, %x_b : f64
      %b_sum = arith.addf %b_term, %u : f64
      affine.store %b_sum, %y[%i] : memref<?xf64>
    }
    %t = affine.load %tmp[%i] : memref<?xf64>
    %u = affine.load %y[%i] : memref<?xf64>
    %left = arith.mulf %alpha, %t : f64
    %right = arith.mulf %beta, %u : f64
    %sum = arith.addf %left, %right : f64
    affine.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
