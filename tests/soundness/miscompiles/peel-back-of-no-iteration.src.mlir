func.func @count(%lb: index, %ub: index) -> i32 {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %c4 iter_args(%a = %c0) -> i32 {
    %n = arith.addi %a, %c1 : i32
    scf.yield %n : i32
  }
  return %r : i32
}
