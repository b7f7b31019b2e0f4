// Both bounds are arguments, and may cross.
func.func @between(%A: memref<?xf32>, %lo: index, %hi: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = affine.for %i = %lo to %hi step 3 iter_args(%acc = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<?xf32>
    %t = arith.addf %acc, %a : f32
    affine.yield %t : f32
  }
  return %s : f32
}
