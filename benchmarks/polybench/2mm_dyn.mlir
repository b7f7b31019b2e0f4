// Two matrix products: D = alpha*A*B*C + beta*D, through a local tmp = alpha*A*B.
// Source: the definition of 2mm in PolyBench/C 4.2.1, where tmp is an argument.
// All sizes are arguments.

func.func @kernel_2mm(%ni: index, %nj: index, %nk: index, %nl: index,
                      %alpha: f64, %beta: f64,
                      %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %tmp = memref.alloc(%ni, %nj) : memref<?x?xf64>
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %t = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %scaled = arith.mulf %alpha, %a : f64
        %product = arith.mulf %scaled, %b : f64
        %sum = arith.addf %t, %product : f64
        affine.store %sum, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %d = affine.load %D[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %d, %beta : f64
      affine.store %scaled, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        %t = affine.load %tmp[%i, %k] : memref<?x?xf64>
        %c = affine.load %C[%k, %j] : memref<?x?xf64>
        %e = affine.load %D[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %t, %c : f64
        %sum = arith.addf %e, %product : f64
        affine.store %sum, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  memref.dealloc %tmp : memref<?x?xf64>
  return
}
