// The number of tiles of 32, for every n; the last tile is cut.
func.func @tiles(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to affine_map<(d0) -> (d0 ceildiv 32)>(%n) {
    affine.for %j = affine_map<(d0) -> (d0 * 32)>(%i) to min affine_map<(d0)[s0] -> (d0 * 32 + 32, s0)>(%i)[%n] {
      %a = affine.load %A[%j] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %A[%j] : memref<?xf32>
    }
  }
  return
}
