// A tensor times a matrix in place: A[r][q][:] = A[r][q][:]*C4, through the argument sums.
// Source: the definition of doitgen in PolyBench/C 4.2.1.
// All sizes are arguments.

func.func @doitgen(%nq: index, %nr: index, %np: index,
                   %A: memref<?x?x?xf64>, %C4: memref<?x?xf64>, %sums: memref<?xf64>) {
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        %zero = arith.constant 0.0 : f64
        affine.store %zero, %sums[%p] : memref<?xf64>
        affine.for %s = 0 to %np {
          %sums_at = affine.load %sums[%p] : memref<?xf64>
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c4 = affine.load %C4[%s, %p] : memref<?x?xf64>
          %product = arith.mulf %a, %c4 : f64
          %sum = arith.addf %sums_at, %product : f64
          affine.store %sum, %sums[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %np {
        %sums_at = affine.load %sums[%p] : memref<?xf64>
        affine.store %sums_at, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
