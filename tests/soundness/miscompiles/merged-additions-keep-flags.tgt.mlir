// llvm-project issue 140328: two additions without signed overflow are merged into one whose constant wrapped.
// expect: poison
func.func @sum(%x: i8) -> i8 {
  %c = arith.constant 96 : i8
  %s = arith.addi %x, %c overflow<nsw> : i8
  return %s : i8
}
