// The average that does not overflow.
func.func @average(%a: i64, %b: i64, %d: i64) -> i64 {
  %one = arith.constant 1 : i64
  %s = arith.addi %a, %b overflow<nuw> : i64
  %h = arith.shrui %s, %one : i64
  %r = arith.muli %h, %d : i64
  return %r : i64
}
