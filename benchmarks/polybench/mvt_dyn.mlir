// Product with a matrix and with its transpose: x1 = x1 + A*y_1 and x2 = x2 + A^T*y_2.
// Source: the definition of mvt in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @mvt(%n: index,
               %x1: memref<?xf64>, %x2: memref<?xf64>, %y_1: memref<?xf64>, %y_2: memref<?xf64>, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %x1[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = affine.load %y_1[%j] : memref<?xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x1[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %x2[%i] : memref<?xf64>
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %y = affine.load %y_2[%j] : memref<?xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x2[%i] : memref<?xf64>
    }
  }
  return
}
