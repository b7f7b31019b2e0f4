// The sum goes through the main loop into the clean-up loop.
func.func @sum(%A: memref<9xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = affine.for %i = 0 to 9 iter_args(%acc = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<9xf32>
    %next = arith.addf %acc, %a : f32
    affine.yield %next : f32
  }
  return %s : f32
}
