// A range in either order of its bounds.
func.func @clamp(%a: i64, %d: i64) -> i64 {
  %lo = arith.constant -10 : i64
  %hi = arith.constant 10 : i64
  %x = arith.maxsi %a, %lo : i64
  %s = arith.minsi %x, %hi : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
