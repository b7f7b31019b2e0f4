func.func @power(%init: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init) -> (i64) {
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (i64) {
      %n = arith.addi %b, %a : i64
      scf.yield %n : i64
    }
    scf.yield %s : i64
  }
  return %r : i64
}
