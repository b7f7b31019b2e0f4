// The two values that the loop carries change places in every iteration.
func.func @swap(%A: memref<4xi32>, %x: i32, %y: i32) {
  affine.for %i = 0 to 4 iter_args(%a = %x, %b = %y) -> (i32, i32) {
    affine.store %a, %A[%i] : memref<4xi32>
    affine.yield %b, %a : i32, i32
  }
  return
}
