func.func @high(%x: i16, %y: i16) -> i16 {
  %c1 = arith.constant 1 : i17
  %a = arith.extui %x : i16 to i17
  %b = arith.extui %y : i16 to i17
  %m = arith.muli %a, %b : i17
  %s = arith.shrui %m, %c1 : i17
  %r = arith.trunci %s : i17 to i16
  return %r : i16
}
