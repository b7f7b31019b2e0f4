// Private functions are inlined, calls in loops too.
func.func @caller(%A: memref<16xi32>, %k: i32) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xi32>
    %r = func.call @scaled(%a, %k) : (i32, i32) -> i32
    affine.store %r, %A[%i] : memref<16xi32>
  }
  return
}
func.func private @scaled(%a: i32, %k: i32) -> i32 {
  %m = arith.muli %a, %k : i32
  %r = func.call @plus(%m) : (i32) -> i32
  return %r : i32
}
func.func private @plus(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %s = arith.addi %a, %c1 : i32
  return %s : i32
}
