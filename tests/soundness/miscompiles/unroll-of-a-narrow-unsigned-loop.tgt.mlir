// The bounds of an unsigned loop over i8 are read as signed, and the iterations that are left over are lost.
// expect: value
func.func @narrow(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i8
  %c200 = arith.constant 200 : i8
  %c2 = arith.constant 2 : i8
  %c1 = arith.constant 1 : i8
  %r = scf.for unsigned %i = %c0 to %c200 step %c2 iter_args(%a = %x) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.addi %a, %v : i32
    %j = arith.addi %i, %c1 : i8
    %w = arith.extui %j : i8 to i32
    %o = arith.addi %n, %w : i32
    scf.yield %o : i32
  }
  return %r : i32
}
