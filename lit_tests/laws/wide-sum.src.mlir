// A carry, by a sum in a wider type.
func.func @wide_sum(%a: i32, %b: i32, %d: i32) -> i32 {
  %x = arith.extui %a : i32 to i64
  %y = arith.extui %b : i32 to i64
  %one = arith.constant 1 : i64
  %s = arith.addi %x, %y : i64
  %h = arith.shrui %s, %one : i64
  %t = arith.trunci %h : i64 to i32
  %r = arith.divui %t, %d : i32
  return %r : i32
}
