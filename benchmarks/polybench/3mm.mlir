// Three matrix products: E = A*B, F = C*D, G = E*F.
// Source: the definition of 3mm in PolyBench/C 4.2.1.
// Sizes: NI = 17, NJ = 19, NK = 23, NL = 21, NM = 25.

func.func @kernel_3mm(%E: memref<17x19xf64>, %A: memref<17x23xf64>, %B: memref<23x19xf64>, %F: memref<19x21xf64>,
                      %C: memref<19x25xf64>, %D: memref<25x21xf64>, %G: memref<17x21xf64>) {
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 19 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %E[%i, %j] : memref<17x19xf64>
      affine.for %k = 0 to 23 {
        %e = affine.load %E[%i, %j] : memref<17x19xf64>
        %a = affine.load %A[%i, %k] : memref<17x23xf64>
        %b = affine.load %B[%k, %j] : memref<23x19xf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %e, %product : f64
        affine.store %sum, %E[%i, %j] : memref<17x19xf64>
      }
    }
  }
  affine.for %i = 0 to 19 {
    affine.for %j = 0 to 21 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %F[%i, %j] : memref<19x21xf64>
      affine.for %k = 0 to 25 {
        %f = affine.load %F[%i, %j] : memref<19x21xf64>
        %c = affine.load %C[%i, %k] : memref<19x25xf64>
        %d = affine.load %D[%k, %j] : memref<25x21xf64>
        %product = arith.mulf %c, %d : f64
        %sum = arith.addf %f, %product : f64
        affine.store %sum, %F[%i, %j] : memref<19x21xf64>
      }
    }
  }
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 21 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %G[%i, %j] : memref<17x21xf64>
      affine.for %k = 0 to 19 {
        %g = affine.load %G[%i, %j] : memref<17x21xf64>
        %e = affine.load %E[%i, %k] : memref<17x19xf64>
        %f = affine.load %F[%k, %j] : memref<19x21xf64>
        %product = arith.mulf %e, %f : f64
        %sum = arith.addf %g, %product : f64
        affine.store %sum, %G[%i, %j] : memref<17x21xf64>
      }
    }
  }
  return
}
