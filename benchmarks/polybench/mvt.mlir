// Product with a matrix and with its transpose: x1 = x1 + A*y_1 and x2 = x2 + A^T*y_2.
// Source: the definition of mvt in PolyBench/C 4.2.1.
// Sizes: N = 57.

func.func @mvt(%x1: memref<57xf64>, %x2: memref<57xf64>, %y_1: memref<57xf64>, %y_2: memref<57xf64>, %A: memref<57x57xf64>) {
  affine.for %i = 0 to 57 {
    affine.for %j = 0 to 57 {
      %x = affine.load %x1[%i] : memref<57xf64>
      %a = affine.load %A[%i, %j] : memref<57x57xf64>
      %y = affine.load %y_1[%j] : memref<57xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x1[%i] : memref<57xf64>
    }
  }
  affine.for %i = 0 to 57 {
    affine.for %j = 0 to 57 {
      %x = affine.load %x2[%i] : memref<57xf64>
      %a = affine.load %A[%j, %i] : memref<57x57xf64>
      %y = affine.load %y_2[%j] : memref<57xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x2[%i] : memref<57xf64>
    }
  }
  return
}
