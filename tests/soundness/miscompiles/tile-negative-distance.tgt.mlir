// Tiles of a nest with a dependence of distance (1, -1).
// expect: value
func.func @skew(%m: memref<5x5xi32>) {
  affine.for %a = 0 to 4 step 2 {
    affine.for %b = 1 to 5 step 2 {
      affine.for %i = affine_map<(d0) -> (d0)>(%a) to affine_map<(d0) -> (d0 + 2)>(%a) {
        affine.for %j = affine_map<(d0) -> (d0)>(%b) to affine_map<(d0) -> (d0 + 2)>(%b) {
          %v = affine.load %m[%i + 1, %j - 1] : memref<5x5xi32>
          affine.store %v, %m[%i, %j] : memref<5x5xi32>
        }
      }
    }
  }
  return
}
