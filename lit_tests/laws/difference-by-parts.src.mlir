// A difference, as the bits of one word less those of the other.
func.func @difference_by_parts(%a: i64, %b: i64, %d: i64) -> i64 {
  %s = arith.subi %a, %b : i64
  %r = arith.remui %s, %d : i64
  return %r : i64
}
