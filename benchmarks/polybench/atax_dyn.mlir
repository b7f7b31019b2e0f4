// Matrix times vector, then its transpose times the result: tmp = A*x, y = A^T*tmp.
// Source: the definition of atax in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @atax(%m: index, %n: index,
                %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %tmp: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %t = affine.load %tmp[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %a, %b : f64
      %sum = arith.addf %t, %product : f64
      affine.store %sum, %tmp[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %c = affine.load %y[%j] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = affine.load %tmp[%i] : memref<?xf64>
      %product = arith.mulf %a, %t : f64
      %sum = arith.addf %c, %product : f64
      affine.store %sum, %y[%j] : memref<?xf64>
    }
  }
  return
}
