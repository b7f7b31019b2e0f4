// One condition says the same twice, one never holds, one always does.
func.func @sets(%A: memref<10xf32>, %x: f32, %y: f32) {
  affine.for %i = 0 to 10 {
    affine.if affine_set<(i) : (i - 2 >= 0, i - 2 >= 0, -i + 7 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<10xf32>
    }
    affine.if affine_set<(i) : (i - 4 >= 0, -i + 3 >= 0)>(%i) {
      affine.store %y, %A[%i] : memref<10xf32>
    } else {
      %a = affine.load %A[%i] : memref<10xf32>
      %b = arith.addf %a, %x : f32
      affine.store %b, %A[%i] : memref<10xf32>
    }
    affine.if affine_set<(i) : (i - i == 0)>(%i) {
      %a = affine.load %A[%i] : memref<10xf32>
      %b = arith.mulf %a, %y : f32
      affine.store %b, %A[%i] : memref<10xf32>
    }
  }
  return
}
