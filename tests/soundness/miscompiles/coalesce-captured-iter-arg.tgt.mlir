// llvm-project issue 216289: coalescing takes the value that the outer loop carries for that of the inner one.
// expect: value
func.func @power(%init: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %init) -> (i64) {
    %n = arith.addi %a, %a : i64
    scf.yield %n : i64
  }
  return %r : i64
}
