// LU decomposition in place and without pivoting: A becomes L (unit diagonal, not stored) and U.
// Source: the definition of lu in PolyBench/C 4.2.1.
// All sizes are arguments.

#same = affine_map<(d) -> (d)>

func.func @lu(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #same(%i) {
      affine.for %k = 0 to #same(%j) {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %l, %u : f64
        %rest = arith.subf %a, %product : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %pivot = affine.load %A[%j, %j] : memref<?x?xf64>
      %quotient = arith.divf %a, %pivot : f64
      affine.store %quotient, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #same(%i) to %n {
      affine.for %k = 0 to #same(%i) {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %l, %u : f64
        %rest = arith.subf %a, %product : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
