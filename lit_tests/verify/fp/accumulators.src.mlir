// One accumulator; under --fp reassoc it may be several.
func.func @dot(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to affine_map<()[s0] -> (4 * s0)>()[%n] iter_args(%s = %zero) -> f32 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf32>
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    affine.yield %r : f32
  }
  return %sum : f32
}
