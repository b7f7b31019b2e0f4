// The lowest bit that is set, cleared.
func.func @lowest_bit(%a: i64, %d: i64) -> i64 {
  %one = arith.constant 1 : i64
  %b = arith.subi %a, %one : i64
  %s = arith.andi %a, %b : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
