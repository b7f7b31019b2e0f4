// Three matrix products: E = A*B, F = C*D, G = E*F.
// Source: the definition of 3mm in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @kernel_3mm(%ni: index, %nj: index, %nk: index, %nl: index, %nm: index,
                      %E: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %F: memref<?x?xf64>,
                      %C: memref<?x?xf64>, %D: memref<?x?xf64>, %G: memref<?x?xf64>) {
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %E[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %e = affine.load %E[%i, %j] : memref<?x?xf64>
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %e, %product : f64
        affine.store %sum, %E[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %F[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nm {
        %f = affine.load %F[%i, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %k] : memref<?x?xf64>
        %d = affine.load %D[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %c, %d : f64
        %sum = arith.addf %f, %product : f64
        affine.store %sum, %F[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %G[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        %g = affine.load %G[%i, %j] : memref<?x?xf64>
        %e = affine.load %E[%i, %k] : memref<?x?xf64>
        %f = affine.load %F[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %e, %f : f64
        %sum = arith.addf %g, %product : f64
        affine.store %sum, %G[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
