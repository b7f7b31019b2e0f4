// Forward substitution: solves L*x = b for a lower triangular L.
// Source: the definition of trisolv in PolyBench/C 4.2.1.
// Sizes: N = 63.

#same = affine_map<(d) -> (d)>

func.func @trisolv(%L: memref<63x63xf64>, %x: memref<63xf64>, %b: memref<63xf64>) {
  affine.for %i = 0 to 63 {
    %b_i = affine.load %b[%i] : memref<63xf64>
    affine.store %b_i, %x[%i] : memref<63xf64>
    affine.for %j = 0 to #same(%i) {
      %x_i = affine.load %x[%i] : memref<63xf64>
      %l = affine.load %L[%i, %j] : memref<63x63xf64>
      %x_j = affine.load %x[%j] : memref<63xf64>
      %product = arith.mulf %l, %x_j : f64
      %rest = arith.subf %x_i, %product : f64
      affine.store %rest, %x[%i] : memref<63xf64>
    }
    %rest = affine.load %x[%i] : memref<63xf64>
    %pivot = affine.load %L[%i, %i] : memref<63x63xf64>
    %quotient = arith.divf %rest, %pivot : f64
    affine.store %quotient, %x[%i] : memref<63xf64>
  }
  return
}
