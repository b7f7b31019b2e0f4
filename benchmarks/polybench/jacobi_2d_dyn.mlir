// Jacobi stencil in two dimensions: A and B in turn become the mean of five neighbours of the other.
// Source: the definition of jacobi-2d in PolyBench/C 4.2.1.
// All sizes are arguments.

#last = affine_map<()[s] -> (s - 1)>

func.func @jacobi_2d(%tsteps: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #last()[%n] {
      affine.for %j = 1 to #last()[%n] {
        %fifth = arith.constant 0.2 : f64
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %sum = arith.addf %a, %a_1 : f64
        %a_2 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %sum_1 = arith.addf %sum, %a_2 : f64
        %a_3 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %sum_2 = arith.addf %sum_1, %a_3 : f64
        %a_4 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %sum_3 = arith.addf %sum_2, %a_4 : f64
        %product = arith.mulf %fifth, %sum_3 : f64
        affine.store %product, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to #last()[%n] {
      affine.for %j = 1 to #last()[%n] {
        %fifth = arith.constant 0.2 : f64
        %b = affine.load %B[%i, %j] : memref<?x?xf64>
        %b_1 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %sum = arith.addf %b, %b_1 : f64
        %b_2 = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %sum_1 = arith.addf %sum, %b_2 : f64
        %b_3 = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %sum_2 = arith.addf %sum_1, %b_3 : f64
        %b_4 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %sum_3 = arith.addf %sum_2, %b_4 : f64
        %product = arith.mulf %fifth, %sum_3 : f64
        affine.store %product, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
