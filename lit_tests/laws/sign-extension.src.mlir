// A field with a sign, by two shifts.
func.func @sign_extension(%a: i64, %d: i64) -> i64 {
  %t = arith.trunci %a : i64 to i16
  %s = arith.extsi %t : i16 to i64
  %r = arith.muli %s, %d : i64
  return %r : i64
}
