// Matrix times vector, then its transpose times the result: tmp = A*x, y = A^T*tmp.
// Source: the definition of atax in PolyBench/C 4.2.1.
// Sizes: M = 33, N = 45.

func.func @atax(%A: memref<33x45xf64>, %x: memref<45xf64>, %y: memref<45xf64>, %tmp: memref<33xf64>) {
  affine.for %i = 0 to 45 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %y[%i] : memref<45xf64>
  }
  affine.for %i = 0 to 33 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %tmp[%i] : memref<33xf64>
    affine.for %j = 0 to 45 {
      %t = affine.load %tmp[%i] : memref<33xf64>
      %a = affine.load %A[%i, %j] : memref<33x45xf64>
      %b = affine.load %x[%j] : memref<45xf64>
      %product = arith.mulf %a, %b : f64
      %sum = arith.addf %t, %product : f64
      affine.store %sum, %tmp[%i] : memref<33xf64>
    }
    affine.for %j = 0 to 45 {
      %c = affine.load %y[%j] : memref<45xf64>
      %a = affine.load %A[%i, %j] : memref<33x45xf64>
      %t = affine.load %tmp[%i] : memref<33xf64>
      %product = arith.mulf %a, %t : f64
      %sum = arith.addf %c, %product : f64
      affine.store %sum, %y[%j] : memref<45xf64>
    }
  }
  return
}
