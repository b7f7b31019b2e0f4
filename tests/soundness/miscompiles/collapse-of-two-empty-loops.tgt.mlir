// Two loops with negative trip counts are coalesced into one with a positive one.
// expect: value
func.func @count(%n: index, %m: index) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = arith.muli %n, %m : index
  %r = scf.for %i = %i0 to %k step %i1 iter_args(%a = %c0) -> i32 {
    %x = arith.addi %a, %c1 : i32
    scf.yield %x : i32
  }
  return %r : i32
}
