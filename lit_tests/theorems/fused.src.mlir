func.func @f(%A: memref<96x100xf32>, %B: memref<96x100xf32>) {
  affine.for %i = 0 to 96 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<96x100xf32>
      affine.store %a, %B[%i, %j] : memref<96x100xf32>
    }
  }
  affine.for %i = 0 to 96 {
    affine.for %j = 0 to 100 {
      %a = affine.load %B[%i, %j] : memref<96x100xf32>
      %t = arith.mulf %a, %a : f32
      affine.store %t, %B[%i, %j] : memref<96x100xf32>
    }
  }
  return
}
