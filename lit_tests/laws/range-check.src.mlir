// Two comparisons as one.
func.func @range_check(%a: i64, %x: i64, %y: i64) -> i64 {
  %lo = arith.constant -5 : i64
  %hi = arith.constant 100 : i64
  %p = arith.cmpi sge, %a, %lo : i64
  %q = arith.cmpi slt, %a, %hi : i64
  %in = arith.andi %p, %q : i1
  %m = arith.muli %x, %y : i64
  %r = arith.select %in, %m, %x : i64
  return %r : i64
}
