// The absolute difference by a maximum and a minimum.
func.func @distance(%a: i64, %b: i64, %d: i64) -> i64 {
  %p = arith.cmpi ult, %a, %b : i64
  %x = arith.subi %b, %a : i64
  %y = arith.subi %a, %b : i64
  %s = arith.select %p, %x, %y : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
