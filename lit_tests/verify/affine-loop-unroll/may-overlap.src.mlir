// Copies of the body stay in the order of the iterations, which is all that matters wherever the arguments lie.
func.func @smooth(%A: memref<18xf32>, %B: memref<18xf32>, %x: f32) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<18xf32>
    %b = affine.load %A[%i + 1] : memref<18xf32>
    %s = arith.addf %a, %b : f32
    %m = arith.mulf %s, %x : f32
    affine.store %m, %B[%i + 1] : memref<18xf32>
  }
  return
}
func.func @matmul(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to 7 {
        %a = affine.load %A[%i, %k] : memref<8x8xf32>
        %b = affine.load %B[%k, %j] : memref<8x8xf32>
        %c = affine.load %C[%i, %j] : memref<8x8xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}
