// Each element depends on its neighbour above and to the right: distance (1, -1) forbids jamming.
func.func @sweep(%A: memref<9x9xf32>, %x: f32) {
  affine.for %i = 1 to 9 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i - 1, %j + 1] : memref<9x9xf32>
      %b = arith.addf %a, %x : f32
      affine.store %b, %A[%i, %j] : memref<9x9xf32>
    }
  }
  return
}
