// A sum whose order is left open.
func.func @sum(%A: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to %n iter_args(%t = %zero) -> f32 {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %t, %a fastmath<reassoc,nsz> : f32
    affine.yield %s : f32
  }
  return %sum : f32
}
