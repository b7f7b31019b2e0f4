func.func @sum(%x: i8) -> i8 {
  %a = arith.constant -100 : i8
  %b = arith.constant -60 : i8
  %s = arith.addi %x, %a overflow<nsw> : i8
  %t = arith.addi %s, %b overflow<nsw> : i8
  return %t : i8
}
