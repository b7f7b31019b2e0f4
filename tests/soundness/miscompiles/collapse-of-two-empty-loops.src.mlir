func.func @count(%n: index, %m: index) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%a = %c0) -> i32 {
    %s = scf.for %j = %i0 to %m step %i1 iter_args(%b = %a) -> i32 {
      %x = arith.addi %b, %c1 : i32
      scf.yield %x : i32
    }
    scf.yield %s : i32
  }
  return %r : i32
}
