// Rounding down to a multiple of 16, by a mask.
func.func @round_down(%a: i64, %d: i64) -> i64 {
  %c = arith.constant 16 : i64
  %q = arith.divui %a, %c : i64
  %s = arith.muli %q, %c : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
