// Two matrix products: D = alpha*A*B*C + beta*D, through a local tmp = alpha*A*B.
// Source: the definition of 2mm in PolyBench/C 4.2.1, where tmp is an argument.
// Sizes: NI = 17, NJ = 25, NK = 27, NL = 31.

func.func @kernel_2mm(%alpha: f64, %beta: f64,
                      %A: memref<17x27xf64>, %B: memref<27x25xf64>, %C: memref<25x31xf64>, %D: memref<17x31xf64>) {
  %tmp = memref.alloc() : memref<17x25xf64>
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 25 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %tmp[%i, %j] : memref<17x25xf64>
      affine.for %k = 0 to 27 {
        %a = affine.load %A[%i, %k] : memref<17x27xf64>
        %b = affine.load %B[%k, %j] : memref<27x25xf64>
        %t = affine.load %tmp[%i, %j] : memref<17x25xf64>
        %scaled = arith.mulf %alpha, %a : f64
        %product = arith.mulf %scaled, %b : f64
        %sum = arith.addf %t, %product : f64
        affine.store %sum, %tmp[%i, %j] : memref<17x25xf64>
      }
    }
  }
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 31 {
      %d = affine.load %D[%i, %j] : memref<17x31xf64>
      %scaled = arith.mulf %d, %beta : f64
      affine.store %scaled, %D[%i, %j] : memref<17x31xf64>
      affine.for %k = 0 to 25 {
        %t = affine.load %tmp[%i, %k] : memref<17x25xf64>
        %c = affine.load %C[%k, %j] : memref<25x31xf64>
        %e = affine.load %D[%i, %j] : memref<17x31xf64>
        %product = arith.mulf %t, %c : f64
        %sum = arith.addf %e, %product : f64
        affine.store %sum, %D[%i, %j] : memref<17x31xf64>
      }
    }
  }
  memref.dealloc %tmp : memref<17x25xf64>
  return
}
