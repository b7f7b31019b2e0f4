func.func @quotient(%x: i32, %y: i8) -> i32 {
  %c = arith.constant 127 : i32
  %a = arith.andi %x, %c : i32
  %e = arith.extui %y : i8 to i32
  %s = arith.addi %a, %e : i32
  %m = arith.muli %s, %c : i32
  %d = arith.divsi %m, %c : i32
  return %d : i32
}
