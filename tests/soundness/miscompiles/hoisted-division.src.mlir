func.func @ratio(%n: index, %x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r = affine.for %i = 0 to %n iter_args(%a = %c0) -> i32 {
    %q = arith.divsi %x, %y : i32
    %s = arith.addi %a, %q : i32
    affine.yield %s : i32
  }
  return %r : i32
}
