// The rows are independent; the columns depend on each other.
func.func @rows(%A: memref<?x?xf64>, %m: index, %n: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %b = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
