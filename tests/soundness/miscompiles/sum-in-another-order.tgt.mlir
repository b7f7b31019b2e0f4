// A float sum without flags is computed in two halves.
// expect: value
func.func @sum(%m: memref<16xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %r:2 = affine.for %i = 0 to 16 step 2 iter_args(%a = %z, %b = %z) -> (f32, f32) {
    %v = affine.load %m[%i] : memref<16xf32>
    %s = arith.addf %a, %v : f32
    %w = affine.load %m[%i + 1] : memref<16xf32>
    %t = arith.addf %b, %w : f32
    affine.yield %s, %t : f32, f32
  }
  %s = arith.addf %r#0, %r#1 : f32
  return %s : f32
}
