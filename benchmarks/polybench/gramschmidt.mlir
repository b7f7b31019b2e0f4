// QR decomposition by modified Gram-Schmidt: A = Q*R; A is overwritten.
// Source: the definition of gramschmidt in PolyBench/C 4.2.1; the scalar nrm is a loop-carried value.
// Sizes: N = 23, M = 29.

#next = affine_map<(d) -> (d + 1)>

func.func @gramschmidt(%A: memref<29x23xf64>, %R: memref<23x23xf64>, %Q: memref<29x23xf64>) {
  affine.for %k = 0 to 23 {
    %zero = arith.constant 0.0 : f64
    %nrm_out = affine.for %i = 0 to 29 iter_args(%nrm_in = %zero) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<29x23xf64>
      %a_1 = affine.load %A[%i, %k] : memref<29x23xf64>
      %product = arith.mulf %a, %a_1 : f64
      %sum = arith.addf %nrm_in, %product : f64
      affine.yield %sum : f64
    }
    %root = math.sqrt %nrm_out : f64
    affine.store %root, %R[%k, %k] : memref<23x23xf64>
    affine.for %i = 0 to 29 {
      %a = affine.load %A[%i, %k] : memref<29x23xf64>
      %r = affine.load %R[%k, %k] : memref<23x23xf64>
      %quotient = arith.divf %a, %r : f64
      affine.store %quotient, %Q[%i, %k] : memref<29x23xf64>
    }
    affine.for %j = #next(%k) to 23 {
      affine.store %zero, %R[%k, %j] : memref<23x23xf64>
      affine.for %i = 0 to 29 {
        %r = affine.load %R[%k, %j] : memref<23x23xf64>
        %q = affine.load %Q[%i, %k] : memref<29x23xf64>
        %a = affine.load %A[%i, %j] : memref<29x23xf64>
        %product = arith.mulf %q, %a : f64
        %sum = arith.addf %r, %product : f64
        affine.store %sum, %R[%k, %j] : memref<23x23xf64>
      }
      affine.for %i = 0 to 29 {
        %a = affine.load %A[%i, %j] : memref<29x23xf64>
        %q = affine.load %Q[%i, %k] : memref<29x23xf64>
        %r = affine.load %R[%k, %j] : memref<23x23xf64>
        %product = arith.mulf %q, %r : f64
        %difference = arith.subf %a, %product : f64
        affine.store %difference, %A[%i, %j] : memref<29x23xf64>
      }
    }
  }
  return
}
