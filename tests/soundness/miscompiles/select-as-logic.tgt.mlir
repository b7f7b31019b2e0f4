// A selection between i1 values becomes a conjunction, which is poison where the value not chosen is.
// expect: poison
func.func @choose(%p: i1, %x: i8, %y: i8) -> i1 {
  %c127 = arith.constant 127 : i8
  %s = arith.addi %x, %c127 overflow<nsw> : i8
  %q = arith.cmpi slt, %s, %y : i8
  %r = arith.andi %p, %q : i1
  return %r : i1
}
