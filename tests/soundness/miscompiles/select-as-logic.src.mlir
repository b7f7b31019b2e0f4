func.func @choose(%p: i1, %x: i8, %y: i8) -> i1 {
  %c127 = arith.constant 127 : i8
  %s = arith.addi %x, %c127 overflow<nsw> : i8
  %q = arith.cmpi slt, %s, %y : i8
  %false = arith.constant false
  %r = arith.select %p, %q, %false : i1
  return %r : i1
}
