// Loads that do not change in a loop, where another argument is written, or only the one that is read elsewhere.
func.func @past_another(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[2] : memref<8xf32>
    %s = arith.addf %a, %x : f32
    affine.store %s, %B[%i] : memref<8xf32>
  }
  return
}
func.func @past_none(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) -> f32 {
  affine.for %i = 0 to 8 {
    affine.store %x, %B[%i] : memref<8xf32>
  }
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = affine.load %A[2] : memref<8xf32>
    %s = arith.addf %acc, %a : f32
    affine.yield %s : f32
  }
  return %r : f32
}
