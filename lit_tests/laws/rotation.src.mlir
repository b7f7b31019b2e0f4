// A rotation, joined by a sum.
func.func @rotation(%a: i64, %d: i64) -> i64 {
  %j = arith.constant 13 : i64
  %k = arith.constant 51 : i64
  %l = arith.shli %a, %j : i64
  %h = arith.shrui %a, %k : i64
  %s = arith.ori %l, %h : i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
