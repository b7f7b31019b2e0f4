// scf-for-loop-range-folding adds an offset to the bounds of a loop, one of which then wraps.
// expect: value
// switches: --index-overflow wrap
func.func @offsets(%lb: index, %ub: index) -> i8 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0 : i8
  %l = arith.addi %lb, %c5 : index
  %u = arith.addi %ub, %c5 : index
  %r = scf.for %i = %l to %u step %c1 iter_args(%a = %z) -> (i8) {
    %v = arith.index_cast %i : index to i8
    %s = arith.addi %a, %v : i8
    scf.yield %s : i8
  }
  return %r : i8
}
