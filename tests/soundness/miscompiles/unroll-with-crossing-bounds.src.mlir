func.func @tail(%lb: index) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = affine.for %i = %lb to 10 iter_args(%a = %c0) -> i32 {
    %n = arith.addi %a, %c1 : i32
    affine.yield %n : i32
  }
  return %r : i32
}
