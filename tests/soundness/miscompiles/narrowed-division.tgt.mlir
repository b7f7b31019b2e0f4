// arith-int-range-narrowing: a signed quotient is narrowed whose dividend is in range of the narrow type only without a sign.
// expect: value
func.func @quotient(%x: i32, %y: i8) -> i32 {
  %n = arith.constant 127 : i16
  %c = arith.constant 127 : i32
  %a = arith.andi %x, %c : i32
  %e = arith.extui %y : i8 to i32
  %t = arith.trunci %a : i32 to i16
  %u = arith.trunci %e : i32 to i16
  %s = arith.addi %t, %u : i16
  %m = arith.muli %s, %n : i16
  %d = arith.divsi %m, %n : i16
  %r = arith.extui %d : i16 to i32
  return %r : i32
}
