// The absolute value by the sign, without a branch.
func.func @absolute_value(%a: i64, %d: i64) -> i64 {
  %s = math.absi %a : i64
  %r = arith.divui %s, %d : i64
  return %r : i64
}
