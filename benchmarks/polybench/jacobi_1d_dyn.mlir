// Jacobi stencil in one dimension: A and B in turn become the mean of three neighbours of the other.
// Source: the definition of jacobi-1d in PolyBench/C 4.2.1.
// All sizes are arguments.

#last = affine_map<()[s] -> (s - 1)>

func.func @jacobi_1d(%tsteps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #last()[%n] {
      %third = arith.constant 0.33333 : f64
      %west = affine.load %A[%i - 1] : memref<?xf64>
      %centre = affine.load %A[%i] : memref<?xf64>
      %east = affine.load %A[%i + 1] : memref<?xf64>
      %pair = arith.addf %west, %centre : f64
      %sum = arith.addf %pair, %east : f64
      %mean = arith.mulf %third, %sum : f64
      affine.store %mean, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to #last()[%n] {
      %third = arith.constant 0.33333 : f64
      %west = affine.load %B[%i - 1] : memref<?xf64>
      %centre = affine.load %B[%i] : memref<?xf64>
      %east = affine.load %B[%i + 1] : memref<?xf64>
      %pair = arith.addf %west, %centre : f64
      %sum = arith.addf %pair, %east : f64
      %mean = arith.mulf %third, %sum : f64
      affine.store %mean, %A[%i] : memref<?xf64>
    }
  }
  return
}
