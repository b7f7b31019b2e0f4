// A product without overflow, divided by a part of its factor.
func.func @exact_division(%a: i64) -> i64 {
  %c = arith.constant 12 : i64
  %k = arith.constant 4 : i64
  %p = arith.muli %a, %c overflow<nsw> : i64
  %r = arith.divsi %p, %k : i64
  return %r : i64
}
