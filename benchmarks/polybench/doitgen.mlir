// A tensor times a matrix in place: A[r][q][:] = A[r][q][:]*C4, through the argument sums.
// Source: the definition of doitgen in PolyBench/C 4.2.1.
// Sizes: NQ = 13, NR = 15, NP = 19.

func.func @doitgen(%A: memref<15x13x19xf64>, %C4: memref<19x19xf64>, %sums: memref<19xf64>) {
  affine.for %r = 0 to 15 {
    affine.for %q = 0 to 13 {
      affine.for %p = 0 to 19 {
        %zero = arith.constant 0.0 : f64
        affine.store %zero, %sums[%p] : memref<19xf64>
        affine.for %s = 0 to 19 {
          %sums_at = affine.load %sums[%p] : memref<19xf64>
          %a = affine.load %A[%r, %q, %s] : memref<15x13x19xf64>
          %c4 = affine.load %C4[%s, %p] : memref<19x19xf64>
          %product = arith.mulf %a, %c4 : f64
          %sum = arith.addf %sums_at, %product : f64
          affine.store %sum, %sums[%p] : memref<19xf64>
        }
      }
      affine.for %p = 0 to 19 {
        %sums_at = affine.load %sums[%p] : memref<19xf64>
        affine.store %sums_at, %A[%r, %q, %p] : memref<15x13x19xf64>
      }
    }
  }
  return
}
