// The load of B sees the store just before it.
func.func @forward(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    %b = arith.addf %a, %x : f32
    affine.store %b, %B[%i] : memref<8xf32>
    %c = affine.load %B[%i] : memref<8xf32>
    %d = arith.mulf %c, %a : f32
    affine.store %d, %C[%i] : memref<8xf32>
  }
  return
}
