// Five trip counts that are arguments; subscripts are sums in which a loop's variable has a factor.
func.func @gather(%A: memref<?x?x?xf32>, %S: memref<?x?xf32>, %n: index, %m: index, %p: index, %q: index, %r: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        affine.for %u = 0 to %q {
          affine.for %v = 0 to %r {
            %a = affine.load %A[%k, 2 * %i - %u + symbol(%q) - 1, 2 * %j - %v + symbol(%r) - 1] : memref<?x?x?xf32>
            %s = affine.load %S[%i, %j] : memref<?x?xf32>
            %t = arith.addf %s, %a : f32
            affine.store %t, %S[%i, %j] : memref<?x?xf32>
          }
        }
      }
    }
  }
  return
}
