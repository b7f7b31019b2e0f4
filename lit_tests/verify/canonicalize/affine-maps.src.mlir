// Applies compose into subscripts, the empty loop goes.
func.func @compose(%A: memref<20xf32>, %x: f32) {
  affine.for %i = 0 to 4 {
    affine.for %k = 0 to min affine_map<(i) -> (i + 4, i + 1)>(%i) {
    }
    %j = affine.apply affine_map<(i) -> (i * 3)>(%i)
    %l = affine.apply affine_map<(j) -> (j + 2)>(%j)
    affine.for %m = 0 to 1 {
      %p = affine.apply affine_map<(l, m) -> (l + m)>(%l, %m)
      %a = affine.load %A[%p] : memref<20xf32>
      %b = arith.addf %a, %x : f32
      affine.store %b, %A[%l] : memref<20xf32>
    }
  }
  return
}
