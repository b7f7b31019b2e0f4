func.func @offsets(%lb: index, %ub: index) -> i8 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0 : i8
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %z) -> (i8) {
    %k = arith.addi %i, %c5 : index
    %v = arith.index_cast %k : index to i8
    %s = arith.addi %a, %v : i8
    scf.yield %s : i8
  }
  return %r : i8
}
