// A power by products.
func.func @small_power(%a: i64, %d: i64) -> i64 {
  %three = arith.constant 3 : i64
  %p = math.ipowi %a, %three : i64
  %r = arith.divui %p, %d : i64
  return %r : i64
}
