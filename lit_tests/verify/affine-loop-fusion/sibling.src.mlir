// Two loops that read the same memory become one.
func.func @both(%A: memref<10xf32>, %B: memref<10xf32>, %C: memref<10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    %b = arith.addf %a, %x : f32
    affine.store %b, %B[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    %c = arith.mulf %a, %x : f32
    affine.store %c, %C[%i] : memref<10xf32>
  }
  return
}
