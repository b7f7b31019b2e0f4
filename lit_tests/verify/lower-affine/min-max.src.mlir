// Bounds that are the greatest and the least of several expressions.
func.func @band(%A: memref<?x?xf32>, %n: index, %w: index) {
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<(d0)[s0] -> (0, d0 - s0)>(%i)[%w] to min affine_map<(d0)[s0, s1] -> (s1, d0 + s0 + 1)>(%i)[%w, %n] {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = arith.mulf %a, %a : f32
      affine.store %b, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
