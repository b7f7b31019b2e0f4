// Stores where i is odd.
func.func @odd(%A: memref<4xf64>, %x: f64) {
  affine.for %i = 1 to 4 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 mod 2)>(%i) {
      affine.store %x, %A[%i] : memref<4xf64>
    }
  }
  return
}
