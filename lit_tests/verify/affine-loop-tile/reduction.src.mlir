// A sum over three loops; tiles of 8 keep its order unless a loop inside another runs more than 8 times.
func.func @sum(%A: memref<?x?x?x?xf64>, %S: memref<?xf64>, %n: index, %c: index, %r: index, %s: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %c {
      affine.for %k = 0 to %r {
        affine.for %l = 0 to %s {
          %a = affine.load %A[%i, %j, %k, %l] : memref<?x?x?x?xf64>
          %t = affine.load %S[%i] : memref<?xf64>
          %u = arith.addf %t, %a : f64
          affine.store %u, %S[%i] : memref<?xf64>
        }
      }
    }
  }
  return
}
