// Cholesky decomposition in place: the lower triangle of A becomes L with L*L^T = A.
// Source: the definition of cholesky in PolyBench/C 4.2.1.
// Sizes: N = 37.

#same = affine_map<(d) -> (d)>

func.func @cholesky(%A: memref<37x37xf64>) {
  affine.for %i = 0 to 37 {
    affine.for %j = 0 to #same(%i) {
      affine.for %k = 0 to #same(%j) {
        %a = affine.load %A[%i, %j] : memref<37x37xf64>
        %a_1 = affine.load %A[%i, %k] : memref<37x37xf64>
        %a_2 = affine.load %A[%j, %k] : memref<37x37xf64>
        %product = arith.mulf %a_1, %a_2 : f64
        %difference = arith.subf %a, %product : f64
        affine.store %difference, %A[%i, %j] : memref<37x37xf64>
      }
      %a = affine.load %A[%i, %j] : memref<37x37xf64>
      %a_1 = affine.load %A[%j, %j] : memref<37x37xf64>
      %quotient = arith.divf %a, %a_1 : f64
      affine.store %quotient, %A[%i, %j] : memref<37x37xf64>
    }
    affine.for %k = 0 to #same(%i) {
      %a = affine.load %A[%i, %i] : memref<37x37xf64>
      %a_1 = affine.load %A[%i, %k] : memref<37x37xf64>
      %a_2 = affine.load %A[%i, %k] : memref<37x37xf64>
      %product = arith.mulf %a_1, %a_2 : f64
      %difference = arith.subf %a, %product : f64
      affine.store %difference, %A[%i, %i] : memref<37x37xf64>
    }
    %a = affine.load %A[%i, %i] : memref<37x37xf64>
    %root = math.sqrt %a : f64
    affine.store %root, %A[%i, %i] : memref<37x37xf64>
  }
  return
}
