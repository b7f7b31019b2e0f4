// Seven rows leave one for the clean-up; each sum is an iter_arg of the inner loop, which may not run at all.
func.func @rows(%A: memref<7x?xf32>, %S: memref<7xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 7 {
    %s = affine.for %j = 0 to %n iter_args(%acc = %x) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<7x?xf32>
      %t = arith.addf %acc, %a : f32
      affine.yield %t : f32
    }
    affine.store %s, %S[%i] : memref<7xf32>
  }
  return
}
