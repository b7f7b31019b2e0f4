// Extrema of affine maps are simplified.
func.func @extrema(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %m = affine.min affine_map<(d0)[s0] -> (d0, s0, d0 + 3)>(%i)[%n]
    %z = affine.max affine_map<(d0) -> (d0, 0)>(%m)
    %a = memref.load %A[%z] : memref<?xf32>
    %b = arith.negf %a : f32
    memref.store %b, %A[%z] : memref<?xf32>
  }
  return
}
