// Forward substitution: solves L*x = b for a lower triangular L.
// Source: the definition of trisolv in PolyBench/C 4.2.1.
// All sizes are arguments.

#same = affine_map<(d) -> (d)>

func.func @trisolv(%n: index, %L: memref<?x?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %b_i = affine.load %b[%i] : memref<?xf64>
    affine.store %b_i, %x[%i] : memref<?xf64>
    affine.for %j = 0 to #same(%i) {
      %x_i = affine.load %x[%i] : memref<?xf64>
      %l = affine.load %L[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %l, %x_j : f64
      %rest = arith.subf %x_i, %product : f64
      affine.store %rest, %x[%i] : memref<?xf64>
    }
    %rest = affine.load %x[%i] : memref<?xf64>
    %pivot = affine.load %L[%i, %i] : memref<?x?xf64>
    %quotient = arith.divf %rest, %pivot : f64
    affine.store %quotient, %x[%i] : memref<?xf64>
  }
  return
}
